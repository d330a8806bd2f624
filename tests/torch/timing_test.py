# SPDX-License-Identifier: Apache-2.0
import unittest
from unittest import mock

import torch

from kernelpro_torch import timing
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

from fake_gpu import Clock, FakeGpu


def sampled(seconds, warmups=2, runs=5, budget=60.0):
    clock = Clock()

    def run():
        clock.log.append("run")
        clock.now += seconds
    return timing.sample(run, FakeGpu(clock), warmups, runs, budget, clock), clock.log


class Sampling(unittest.TestCase):
    def test_gives_nanoseconds_less_an_empty_interval(self):
        taken, _ = sampled(5e-6)
        self.assertEqual(len(taken), 5)
        for each in taken:
            self.assertAlmostEqual(each, 5000, places=3)

    def test_flushes_before_each_run_but_not_before_warm_ups(self):
        _, log = sampled(5e-6)
        self.assertEqual(log[:3], ["run", "run", "wait"])
        timed = log[3 + 2 * timing.EMPTY_PAIRS:]
        self.assertEqual(timed, ["flush", "run", "wait"] * 5)

    def test_ends_with_its_budget_but_not_before_a_few_runs(self):
        self.assertEqual(len(sampled(1.0, runs=100, budget=4.5)[0]), 5)
        self.assertEqual(len(sampled(10.0, runs=100, budget=4.5)[0]), timing.FEWEST)

    def test_is_never_below_nothing(self):
        self.assertEqual(min(sampled(-5e-6)[0]), 0)


PROBLEM = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        Model.calls = getattr(Model, "calls", 0) + 1
        if Model.calls > 4:
            raise ValueError("the fifth call")
        return x + 1
def get_inputs():
    return [torch.rand(2)]
"""


class Modes(unittest.TestCase):
    """Those that the CPU can show, with a GPU that does nothing."""

    def times(self, mode, runs, text=PROBLEM, **changes):
        request = {"constants": {}, "seed": 1, "warmups": 1, "runs": runs, "budget": 60.0, **changes}
        with mock.patch.object(timing, "Gpu", lambda: FakeGpu(Clock())):
            return timing.of_mode(Problem("task.py", text), request, "cpu", mode)

    def test_eager_calls_the_model(self):
        self.assertEqual(len(self.times("eager", 3)), 3)

    def test_what_the_problem_raises_names_its_line(self):
        with self.assertRaises(Failure) as caught:
            self.times("eager", 9)
        self.assertIn("the fifth call (task.py:7)", caught.exception.message)

    def test_others_are_refused_with_those_that_there_are(self):
        with self.assertRaises(Failure) as caught:
            self.times("fastest", 3)
        self.assertIn("eager, compile, graph", caught.exception.hint)

    def test_run_in_the_precision_that_is_asked_for_and_leave_none(self):
        places = (torch.backends.cuda.matmul, torch.backends.cudnn)
        before = [place.allow_tf32 for place in places]
        seen = "torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32"
        for name, expected in (("f32", (False, False)), ("tf32", (True, True)), ("default", (True, True))):
            check = f"if ({seen}) != {expected}: raise ValueError({seen})\n        return x"
            text = (PROBLEM.replace("return x", check) + "torch.backends.cuda.matmul.allow_tf32 = True\n")
            self.assertEqual(len(self.times("eager", 3, text, warmups=0, precision=name)), 3)
            self.assertEqual([place.allow_tf32 for place in places], before)
        with self.assertRaises(Failure) as caught:
            self.times("eager", 3, precision="f16")
        self.assertIn("f16", caught.exception.message)


class Times(unittest.TestCase):
    def test_need_a_gpu(self):
        with self.assertRaises(Failure) as caught:
            timing.times(None, {"modes": ["eager"]}, "cpu")
        self.assertEqual(caught.exception.kind, "unsupported")
        self.assertIn("GPU", caught.exception.message)
