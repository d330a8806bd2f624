# SPDX-License-Identifier: Apache-2.0
import os
import unittest

import torch

from kernelpro_torch import arrays, compute
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

RUN = """
import torch
N = 4
def run(x, factor):
    half = torch.zeros(x.shape, dtype=torch.float32) + x.to(torch.float32) * factor
    return half.to(torch.bfloat16)
def get_inputs():
    return [torch.rand(N), 2.0]
"""

STATE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
    def forward(self, x):
        self.seen += 1
        x += 1
        return x * self.seen
def get_inputs():
    return [torch.rand(2)]
"""


def computed(text, given, constants=None):
    descriptor = os.memfd_create("test")
    try:
        doubles = {name: torch.tensor(values, dtype=torch.float64) for name, values in given.items()}
        request = {"constants": constants or {}, "arrays": arrays.write(descriptor, list(doubles.items()))}
        answer = compute.outputs(Problem("problem.py", text), request, [descriptor], "cpu")
        made = arrays.read(descriptor, answer["arrays"])
        return {name: tensor.clone().tolist() for name, tensor in made.items()}
    finally:
        os.close(descriptor)


class Compute(unittest.TestCase):
    def test_is_in_double_where_the_code_names_narrower_types(self):
        self.assertEqual(computed(RUN, {"x": [1 + 1e-12, 0], "factor": [3]}, {"N": 2}),
                         {"out": [3 * (1 + 1e-12), 0]})

    def test_leaves_nothing_for_the_next(self):
        given = {"x": [1.0, 2.0], "seen": [4.0]}
        self.assertEqual(computed(STATE, given), {"out": [10, 15]})
        self.assertEqual(computed(STATE, given), {"out": [10, 15]})

    def test_takes_the_problems_own_weights_where_none_are_given(self):
        self.assertEqual(computed(STATE, {"x": [1.0, 2.0]}), {"out": [2, 3]})

    def test_takes_arrays_without_elements(self):
        self.assertEqual(computed(RUN.replace("N = 4", "N = 0").replace(", 2.0]", ", torch.rand(0)]"),
                                  {"x": [], "factor": []}), {"out": []})

    def test_refuses_what_does_not_fit(self):
        for given, word in (({}, "x"), ({"x": [1.0]}, "elements"), ({"x": [1.0, 2.0], "y": [1.0]}, "y")):
            with self.assertRaises(Failure) as caught:
                computed(STATE, given)
            self.assertEqual(caught.exception.kind, "invalid")
            self.assertIn(word, caught.exception.message)
