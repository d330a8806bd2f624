# SPDX-License-Identifier: Apache-2.0
import os
import tempfile
import unittest
from unittest import mock

from kernelpro_torch import timing
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

from fake_gpu import Clock, FakeGpu

PROBLEM = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 3)
        self.steps = torch.tensor(2)
    def forward(self, x, by):
        return self.fc(x) * by, x > 0.5
def get_inputs():
    return [torch.rand(5, 4), 2.0]
"""

GOOD = """
import torch
calls = []
def fast(x, by, fc_weight, *, fc_bias, block=64):
    calls.append(block)
    return torch.addmm(fc_bias, x, fc_weight.t()) * by, x > 0.5
"""


class Baselines(unittest.TestCase):
    """Functions of a file that the user names."""

    def times(self, text, function="fast"):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mine.py")
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            request = {"constants": {}, "seed": 1, "warmups": 1, "runs": 4, "budget": 60.0}
            with mock.patch.object(timing, "Gpu", lambda: FakeGpu(Clock())):
                return timing.of_mode(Problem("task.py", PROBLEM), request, "cpu", f"{file}:{function}")

    def refusal(self, text, function="fast"):
        with self.assertRaises(Failure) as caught:
            self.times(text, function)
        return caught.exception.message

    def test_are_timed_with_the_weights_that_they_name(self):
        self.assertEqual(len(self.times(GOOD)), 4)

    def test_that_write_to_their_inputs_are_still_compared(self):
        self.assertIn("elements", self.refusal(GOOD.replace("    return", "    x.add_(1)\n    return")))
        late = GOOD.replace("return", "made =") + "    x.zero_()\n    return made\n"
        self.assertEqual(len(self.times(late)), 4)

    def test_that_give_something_else_are_refused(self):
        self.assertIn("15 of 35 elements", self.refusal(GOOD.replace("* by", "* by + 1")))
        self.assertIn("1 of 35 elements", self.refusal(GOOD.replace(
            "    return", "    seen = x > 0.5; seen[0, 0] ^= True\n    return").replace(", x > 0.5", ", seen")))
        self.assertIn("instead of [[5, 3], [5, 4]]", self.refusal(GOOD.replace(", x > 0.5", "")))

    def test_that_ask_for_what_is_no_weight_are_refused(self):
        self.assertIn("bias", self.refusal(GOOD.replace("fc_bias", "bias")))

    def test_that_are_not_there_are_refused(self):
        self.assertIn("defines no function slow()", self.refusal(GOOD, "slow"))
        with self.assertRaises(Failure) as caught:
            timing.made(None, "/nowhere/mine.py:fast", 1)
        self.assertIn("no file /nowhere/mine.py", caught.exception.message)

    def test_name_their_line_where_they_raise(self):
        self.assertIn("on its own (mine.py:5)", self.refusal(GOOD.replace(
            "    calls", "    raise ValueError('on its own')\n    calls")))
        self.assertIn("(mine.py:2)", self.refusal("\nx = 1 / 0\n"))
