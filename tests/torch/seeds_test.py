# SPDX-License-Identifier: Apache-2.0
import unittest

import torch

from kernelpro_torch import seeds
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

PROBLEM = """
import random
import torch
table = torch.rand(2)
class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = torch.nn.Linear(width, 3)
        EXTRA
    def forward(self, x, labels, y):
        return self.fc(x) + table.sum()
def get_inputs():
    return [torch.rand(5, 4), torch.randint(9, (5,)), torch.rand(2, dtype=torch.float16) + random.random()]
def get_init_inputs():
    return [4]
"""


def instance(extra="", seed=7):
    return Problem("task.py", PROBLEM.replace("EXTRA", extra)).instance({}, seed)


class Seeds(unittest.TestCase):
    def test_give_equal_inputs_beside_a_constructor_that_draws_more(self):
        usual, greedy = instance(), instance("self.more = torch.rand(100)")
        for one, other in zip(usual.inputs, greedy.inputs):
            self.assertTrue(torch.equal(one, other))

    def test_give_equal_weights_and_others_with_another_seed(self):
        self.assertTrue(torch.equal(instance().model.fc.weight, instance().model.fc.weight))
        other = instance(seed=8)
        self.assertFalse(torch.equal(instance().model.fc.weight, other.model.fc.weight))
        self.assertFalse(torch.equal(instance().inputs[0], other.inputs[0]))

    def test_of_64_bits_are_all_good(self):
        self.assertFalse(torch.equal(instance(seed=(1 << 64) - 1).inputs[0], instance(seed=3).inputs[0]))

    def test_of_uses_differ_in_the_bits_that_a_cpu_looks_at(self):
        low = {seeds.derived(seed, use) % (1 << 32) for seed in range(9) for use in ("inputs", "redrawn")}
        self.assertEqual(len(low), 18)


class Screened(unittest.TestCase):
    def test_are_normal_in_their_own_type_whatever_was_drawn_before(self):
        one, other = instance(), instance()
        torch.rand(11)
        for each in (one, other):
            seeds.screened(each, ["x", "y"], 5)
        self.assertLess(one.inputs[0].min().item(), 0)
        self.assertEqual(one.inputs[2].dtype, torch.float16)
        for position in (0, 1, 2):
            self.assertTrue(torch.equal(one.inputs[position], other.inputs[position]))

    def test_are_only_those_that_are_named(self):
        one = instance()
        seeds.screened(one, ["y"], 5)
        self.assertTrue(torch.equal(one.inputs[0], instance().inputs[0]))

    def test_of_integers_or_of_another_name_are_refused(self):
        for name in ("labels", "z"):
            with self.assertRaises(Failure) as caught:
                seeds.screened(instance(), [name], 5)
            self.assertIn(name, caught.exception.message)
