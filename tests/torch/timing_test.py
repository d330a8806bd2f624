# SPDX-License-Identifier: Apache-2.0
import unittest

from kernelpro_torch import timing
from kernelpro_torch.failures import Failure


class Clock:
    """Time of a machine that does only what it is told."""

    def __init__(self):
        self.now, self.log = 0.0, []

    def __call__(self):
        return self.now


class FakeEvent:
    def __init__(self, clock):
        self.clock, self.at = clock, None

    def record(self):
        self.clock.now += 1e-6  # what an interval with nothing in it takes
        self.at = self.clock.now

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


class FakeGpu:
    def __init__(self, clock):
        self.clock = clock

    def flush(self):
        self.clock.log.append("flush")
        self.clock.now += 1e-3

    def event(self):
        return FakeEvent(self.clock)

    def synchronize(self):
        self.clock.log.append("wait")


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


class Times(unittest.TestCase):
    def test_need_a_gpu(self):
        with self.assertRaises(Failure) as caught:
            timing.times(None, {"modes": ["eager"]}, "cpu")
        self.assertEqual(caught.exception.kind, "unsupported")
        self.assertIn("GPU", caught.exception.message)
