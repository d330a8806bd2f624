# SPDX-License-Identifier: Apache-2.0
"""A guest that was asked to hold a problem, and candidates for it."""
import os
import shutil
import tempfile
import unittest
from unittest import mock

import torch

from kernelpro_torch import guest, raw
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

PROBLEM = """
import torch
N = 6
class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = torch.nn.Linear(width, 3)
    def forward(self, x, scale):
        return self.fc(x) * scale
def get_inputs():
    return [torch.rand(5, N), 2.0]
def get_init_inputs():
    return [N]
"""

HEAD = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = torch.nn.Linear(width, 3)
"""

RIGHT = HEAD + """
        self.drawn = torch.rand(50)
    def forward(self, values, by):
        return self.fc(values) * by
def get_inputs():
    raise ValueError("this one is not asked")
"""

WRAPPED = """
import torch
class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
    def __init__(self, inner):
        self.inner = inner
    __torch_function__ = torch._C._disabled_torch_function_impl
    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        bare = [arg.inner * 2 if isinstance(arg, Wrapped) else arg for arg in args]
        return function(*bare, **(kwargs or {}))
"""


def forward(*lines):
    return HEAD + "    def forward(self, x, scale):\n" + "".join(f"        {line}\n" for line in lines)


REQUEST = {"candidate": "new", "problem": "old", "constants": {}, "seed": 11, "seeds": [10, 11], "redrawn": [],
           "runs": 4, "warmups": 2, "budget": 60.0}


class Apart(unittest.TestCase):
    """With a folder for temporary files, a file for outputs, and an environment of its own."""

    def setUp(self):
        self.folder, self.descriptor = tempfile.mkdtemp(), os.memfd_create("test")
        for patch in (mock.patch.object(tempfile, "tempdir", self.folder), mock.patch.dict(os.environ)):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.close, self.descriptor)


class Guest(Apart):
    def setUp(self):
        super().setUp()
        self.desk = guest.Desk()
        self.ask("load", problem="old", file="task.py", text=PROBLEM)

    def ask(self, verb, **changes):
        return self.desk.verb(verb)({**REQUEST, **changes}, [self.descriptor])

    def adopt(self, text):
        self.assertEqual(self.ask("adopt", file="new.py", text=text), {})

    def refusal(self, verb, **changes):
        with self.assertRaises(Failure) as caught:
            self.ask(verb, **changes)
        return caught.exception

    def read(self, entry):
        output = raw.Output(self.descriptor, entry)
        return output.part(0, entry["bytes"] // output.width).reshape(output.shape)

    def expected(self, seed=11, constants=None):
        instance = Problem("task.py", PROBLEM).instance(constants or {}, seed)
        with torch.no_grad():
            return instance.run()[0][1]
