# SPDX-License-Identifier: Apache-2.0
import contextlib
import ctypes
import gc
import mmap
import os
import unittest

import torch

from kernelpro_torch import answer, arrays, compute, dlpack
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

LINEAR = """
import torch
N = 3
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(N, 2)
    def forward(self, x, scale):
        x += 1
        y = self.linear(x.float()) * scale
        return y.t(), y.argmax(1), y > 0
def get_inputs():
    return [torch.rand(4, N), 2.0]
"""

TYPES = {"float64": torch.float64, "int64": torch.int64, "bool": torch.bool}


class Files:
    """A driver whose memory is files."""

    def __init__(self):
        self.mapped_now = 0

    @contextlib.contextmanager
    def mapped(self, descriptor, size, gpu):
        memory = mmap.mmap(descriptor, size)
        self.mapped_now += 1
        yield ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.mapped_now -= 1


class Board:
    """One file for inputs, one for outputs, and the request that names them."""

    def __init__(self, inputs, outputs):
        self.files = [os.memfd_create("test") for _ in range(2)]
        self.request = {"constants": {}, "memory": [4096, 4096], "numbers": {"scale": 2.0}}
        for key, entries, number in (("inputs", inputs, 0), ("outputs", outputs, 1)):
            os.ftruncate(self.files[number], 4096)
            self.request[key] = [{"name": name, "dtype": dtype, "count": count, "offset": 256 * i,
                                  "memory": number} for i, (name, dtype, count) in enumerate(entries)]

    def tensor(self, key, name):
        entry = next(e for e in self.request[key] if e["name"] == name)
        memory = mmap.mmap(self.files[entry["memory"]], 4096)
        return torch.frombuffer(memory, dtype=TYPES[entry["dtype"]], count=entry["count"],
                                offset=entry["offset"])

    def close(self):
        for number in self.files:
            os.close(number)


INPUTS = (("x", "float64", 12), ("linear_weight", "float64", 6), ("linear_bias", "float64", 2))
OUTPUTS = (("a", "float64", 8), ("b", "int64", 4), ("c", "bool", 8))


class Answer(unittest.TestCase):
    def setUp(self):
        self.problem = Problem("problem.py", LINEAR)
        self.driver = Files()
        self.board = Board(INPUTS, OUTPUTS)
        self.addCleanup(lambda: self.board.close())

    def fill(self):
        generator = torch.Generator().manual_seed(1)
        for name, _, _ in INPUTS:
            self.board.tensor("inputs", name).normal_(generator=generator)

    def write(self):
        return answer.write(self.problem, self.board.request, self.board.files, "cpu", self.driver)

    def refusal(self):
        with self.assertRaises(Failure) as caught:
            self.write()
        return caught.exception

    def test_writes_in_double_where_the_judge_will_look(self):
        self.fill()
        x, weight, bias = (self.board.tensor("inputs", name).clone() for name, _, _ in INPUTS)
        self.assertEqual(self.write(), {"keeps": 0})
        expected = (((x + 1).view(4, 3) @ weight.view(2, 3).t()) + bias) * 2
        got = self.board.tensor("outputs", "a").view(2, 4).t()
        self.assertLess((got - expected).abs().max().item(), 1e-14)
        self.assertTrue(torch.equal(self.board.tensor("outputs", "b"), expected.argmax(1)))
        self.assertTrue(torch.equal(self.board.tensor("outputs", "c").view(4, 2), expected > 0))

    def test_says_what_does_not_fit_together(self):
        for outputs, word in ((OUTPUTS[:2], "3 outputs"), ((("a", "float64", 9), *OUTPUTS[1:]), "8 elements")):
            self.board.close()
            self.board = Board(INPUTS, outputs)
            refused = self.refusal()
            self.assertEqual(refused.kind, "invalid")
            self.assertIn(word, refused.message)
        self.board.close()
        self.board = Board((*INPUTS, ("y", "float64", 1)), OUTPUTS)
        self.assertIn("no input or weight y", self.refusal().message)
        self.board.request["inputs"][3]["dtype"] = "complex64"
        self.assertEqual(self.refusal().kind, "unsupported")

    def test_nothing_of_it_stays_mapped_or_alive(self):
        self.fill()
        self.write()
        gc.collect()
        self.assertEqual(self.driver.mapped_now, 0)
        self.assertEqual(dlpack.living, {})

    def test_comes_to_what_compute_comes_to(self):
        self.fill()
        given = [(name, self.board.tensor("inputs", name).clone()) for name, _, _ in INPUTS]
        given.append(("scale", torch.tensor([2.0], dtype=torch.float64)))
        self.write()
        with os.fdopen(os.memfd_create("doubles")) as file:
            request = {"constants": {}, "arrays": arrays.write(file.fileno(), given)}
            told = compute.outputs(self.problem, request, [file.fileno()], "cpu")
            made = arrays.read(file.fileno(), told["arrays"])
            self.assertTrue(torch.equal(made["out0"], self.board.tensor("outputs", "a")))
