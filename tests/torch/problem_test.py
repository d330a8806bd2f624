# SPDX-License-Identifier: Apache-2.0
import math
import unittest

import torch

from kernelpro_torch import dependence, probe
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

HEAD = "import torch\nfrom torch import nn\n"
INPUTS = "\ndef get_inputs():\n    return [torch.rand(3, 4)]\n"


def model(init, forward):
    return (f"{HEAD}class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        {init}\n    def forward(self, x):\n        {forward}\n{INPUTS}")


def refusal(text, values=False):
    try:
        problem = Problem("task.py", text)
        probe.describe(problem, {"constants": {}, "values": values}, "cpu")
    except Failure as failure:
        return failure
    raise AssertionError("it was not refused")


class Refusals(unittest.TestCase):
    def test_of_files_in_no_known_form(self):
        for text in ("x = 1\n", HEAD + INPUTS, f"{HEAD}class Model(nn.Module):\n    pass\n"):
            self.assertEqual(refusal(text).kind, "unsupported")

    def test_of_code_that_does_not_run_name_line_and_error(self):
        failure = refusal(f"{HEAD}y = undefined{INPUTS}")
        self.assertEqual(failure.kind, "invalid")
        self.assertIn("NameError", failure.message)
        self.assertIn("task.py:3", failure.message)
        self.assertIn("SyntaxError", refusal("def (").message)
        self.assertEqual(refusal(model("pass", "raise SystemExit(3)")).kind, "invalid")

    def test_of_a_module_that_is_missing_say_how_to_get_it(self):
        failure = refusal("import no_such_module\n")
        self.assertEqual(failure.kind, "unsupported")
        self.assertIn("no_such_module", failure.message)

    def test_of_looking_at_values_that_are_not_there(self):
        text = model("pass", "return x * 2 if x.sum().item() > 0 else x")
        failure = refusal(text)
        self.assertEqual(failure.kind, "unsupported")
        self.assertIn("values", failure.message)
        found = probe.describe(Problem("task.py", text), {"constants": {}, "values": True}, "cpu")
        self.assertIsNone(found["contraction_flops"])

    def test_of_more_memory_than_there_is(self):
        text = model("pass", "return x + torch.empty(1 << 50)")
        self.assertEqual(refusal(text, values=True).kind, "memory")

    def test_of_outputs_that_are_no_tensors(self):
        self.assertEqual(refusal(model("pass", "return 'text'")).kind, "unsupported")

    def test_of_faults_of_a_gpu_end_the_process(self):
        text = model("pass", "raise RuntimeError('CUDA error: an illegal memory access')")
        self.assertTrue(refusal(text).answer()["ends"])
        self.assertNotIn("ends", refusal(model("pass", "raise RuntimeError('of the code')")).answer())

    def test_of_constants_that_it_does_not_have(self):
        problem = Problem("task.py", model("pass", "return x"))
        with self.assertRaises(Failure):
            probe.describe(problem, {"constants": {"N": 3}, "values": False}, "cpu")


class Dependence(unittest.TestCase):
    def unused(self, init, forward):
        runs = dependence.Runs(Problem("task.py", model(init, forward)).instance({}))
        return dependence.unused(runs)

    def test_is_found_where_there_is_no_gradient(self):
        self.assertEqual(self.unused("self.fc = nn.Linear(4, 9)", "return self.fc(x).argmax(1)"), [])

    def test_on_a_buffer_of_integers_or_flags(self):
        init = ("self.register_buffer('i', torch.tensor([1, 0])); "
                "self.register_buffer('keep', torch.tensor(True)); "
                "self.register_buffer('idle', torch.tensor([2]))")
        self.assertEqual(self.unused(init, "return x[:, self.i % 4] * self.keep"), ["idle"])

    def test_on_a_table_of_indices(self):
        init = "self.register_buffer('i', torch.tensor([3, 1, 0]))"
        self.assertEqual(self.unused(init, "return x[:, self.i]"), [])
        init = "self.register_buffer('last', torch.tensor(3))"
        self.assertEqual(self.unused(init, "return x[:, self.last]"), [])

    def test_of_a_plain_attribute(self):
        self.assertEqual(self.unused("self.a, self.b = torch.rand(4), torch.rand(4)",
                                     "return x + self.b"), ["a"])


class Noise(unittest.TestCase):
    """Runs that differ a little by themselves, as on a GPU where sums are taken in any order."""

    def runs(self, forward):
        init = "self.b = nn.Parameter(torch.ones(4)); self.n = 0"
        text = model(init, f"self.n += 1; wobble = (self.n % 3) * 1e-6; {forward}")
        return dependence.Runs(Problem("task.py", text).instance({}))

    def test_is_no_randomness(self):
        self.assertFalse(self.runs("return x + wobble").random())

    def test_does_not_hide_randomness(self):
        self.assertTrue(self.runs("return x + wobble + torch.rand(1)").random())

    def test_is_no_dependence(self):
        self.assertEqual(dependence.unused(self.runs("return x + wobble")), ["b"])
        self.assertEqual(dependence.unused(self.runs("return (x + wobble > self.b / 2) * 1.0")), [])


class Distance(unittest.TestCase):
    def test_of_values_that_are_not_finite(self):
        nan, inf = math.nan, math.inf
        for a, b, expected in (([nan], [nan], 0), ([nan], [1.0], inf), ([inf], [inf], 0),
                               ([inf], [-inf], inf), ([inf], [1.0], inf), ([1.0], [3.5], 2.5)):
            pair = [[("out", torch.tensor(values))] for values in (a, b)]
            self.assertEqual(dependence.distance(*pair), expected, (a, b))
        self.assertEqual(dependence.distance([("o", torch.ones(2))], [("o", torch.ones(3))]), inf)
        self.assertEqual(dependence.distance([("o", torch.ones(2))], []), inf)
