# SPDX-License-Identifier: Apache-2.0
import math
import os
import unittest
from unittest import mock

import torch

from kernelpro_torch import compare, raw, server, tally
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

HEAD = """
import torch
N = 40
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(N, 30)
"""
INPUTS = """
def get_inputs():
    return [torch.rand(20, N), torch.randint(7, (20,))]
"""
LINEAR = HEAD + "    def forward(self, x, labels):\n        return self.fc(x)\n" + INPUTS
SEVERAL = (HEAD + "    def forward(self, x, labels):\n"
           "        return x.sum(), labels + 1, x > 0.5, x.argmax(1)\n" + INPUTS)
REQUEST = {"constants": {}, "seed": 3, "redrawn": ["x"], "nudge": 0.0}


def reference(text, changes=None):
    """As a candidate in f32 computes them that has the problem's own code."""
    from kernelpro_torch import seeds
    request = {**REQUEST, **(changes or {})}
    instance = Problem("task.py", text).instance(request["constants"], request["seed"])
    seeds.screened(instance, request["redrawn"], request["seed"])
    with torch.no_grad():
        return [tensor for _, tensor in instance.run()], instance


def compared(text, outputs, **changes):
    descriptor = os.memfd_create("test")
    try:
        entries = raw.write(descriptor, [(f"out{i}", value) for i, value in enumerate(outputs)])
        for entry in entries:
            entry.update(changes.pop("entry", {}))
        request = {**REQUEST, "outputs": entries, **changes}
        return compare.compared(Problem("task.py", text), request, [descriptor], "cpu")["outputs"]
    finally:
        os.close(descriptor)


class Compare(unittest.TestCase):
    def test_of_the_problems_own_code_finds_its_error_and_no_more(self):
        (made,), _ = reference(LINEAR)
        found, = compared(LINEAR, [made])
        self.assertEqual((found["name"], found["elements"], found["shape_differs"]), ("out", 600, False))
        self.assertEqual((found["special"], found["beyond_1e4"], found["beyond_1e2"]), (0, 0, 0))
        self.assertEqual(found["error_l2"], found["eager_error_l2"])
        self.assertTrue(0 < found["error_l2"] < 1e-5 * found["norm_l2"])
        self.assertEqual(found["response_l2"], 0)

    def test_has_weights_and_inputs_of_the_f32_instance_widened(self):
        _, instance = reference(LINEAR)
        x, fc = instance.inputs[0].double(), instance.model.fc.double()
        with torch.no_grad():
            expected = fc(x)
        found, = compared(LINEAR, [expected])
        self.assertLess(found["error_l2"], 1e-13)
        self.assertAlmostEqual(found["norm_l2"], (expected - expected.mean()).norm().item(), places=9)

    def test_tells_precisions_apart(self):
        (made,), _ = reference(LINEAR)
        exact, = compared(LINEAR, [made])
        half, = compared(LINEAR, [made.half()])
        self.assertGreater(half["error_l2"], 100 * exact["error_l2"])
        self.assertEqual((half["special"], half["beyond_1e2"]), (0, 0))

    def test_names_the_worst_element(self):
        (made,), _ = reference(LINEAR)
        old = made[2, 5].item()
        made[2, 5] += 0.25
        found, = compared(LINEAR, [made])
        self.assertEqual(found["worst_index"], 65)
        self.assertAlmostEqual(found["worst"], 0.25, places=5)
        self.assertAlmostEqual(found["error_l2"], 0.25, places=5)
        self.assertAlmostEqual(found["expected"], old, places=5)
        self.assertEqual((found["beyond_1e4"], found["beyond_1e2"]), (1, 1))

    def test_counts_what_is_no_number_and_leaves_it_out_of_the_error(self):
        (made,), _ = reference(LINEAR)
        clean, = compared(LINEAR, [made])
        made[0, 0], made[0, 1] = math.nan, math.inf
        found, = compared(LINEAR, [made])
        self.assertEqual((found["special"], found["worst"], found["worst_index"]), (2, math.inf, 0))
        self.assertTrue(math.isnan(found["got"]))
        self.assertLess(found["error_l2"], 2 * clean["error_l2"])
        self.assertEqual(found["beyond_1e2"], 2)

    def test_takes_equal_values_that_are_no_numbers_for_equal(self):
        text = LINEAR.replace("self.fc(x)", "torch.stack([x.sum() / 0, -x.abs().sum() / 0, x.sum() * 0 / 0])")
        (made,), _ = reference(text)
        found, = compared(text, [made])
        self.assertEqual((found["special"], found["worst"], found["norm_l2"]), (0, 0, 0))
        self.assertEqual(compared(text, [-made])[0]["special"], 2)

    def test_of_integers_and_flags_is_exact(self):
        made, _ = reference(SEVERAL)
        self.assertEqual([each["special"] for each in compared(SEVERAL, made)], [0, 0, 0, 0])
        made[1][3] += 1
        made[2][0, 0] ^= True
        made[3] = made[3].float()
        made[3][1] += 0.5
        self.assertEqual([each["special"] for each in compared(SEVERAL, made)], [0, 1, 1, 1])

    def test_of_one_element_has_the_plain_norm(self):
        made, instance = reference(SEVERAL)
        found = compared(SEVERAL, made)[0]
        self.assertAlmostEqual(found["norm_l2"], abs(instance.inputs[0].double().sum().item()), places=9)

    def test_is_the_same_in_parts(self):
        (made,), _ = reference(LINEAR)
        made[19, 29] += 1
        whole, = compared(LINEAR, [made], nudge=1e-3)
        with mock.patch.object(tally, "PART", 7):
            parts, = compared(LINEAR, [made], nudge=1e-3)
        for key, value in whole.items():
            self.assertAlmostEqual(parts[key], value, places=9) if key != "name" else None

    def test_the_response_grows_with_the_nudge(self):
        (made,), _ = reference(LINEAR)
        small, = compared(LINEAR, [made], nudge=1e-6)
        large, = compared(LINEAR, [made], nudge=1e-4)
        self.assertAlmostEqual(large["response_l2"] / small["response_l2"], 100, places=3)
        self.assertTrue(0.1 < large["response_l2"] / (1e-4 * large["norm_l2"]) < 10)

    def test_shapes_and_outputs_that_differ_are_told(self):
        (made,), _ = reference(LINEAR)
        found, = compared(LINEAR, [made.t()])
        self.assertTrue(found["shape_differs"] and math.isnan(found["error_l2"]))
        self.assertEqual(found["special"], 600)
        self.assertEqual([each["shape_differs"] for each in compared(LINEAR, [made, made])], [False, True])
        several, _ = reference(SEVERAL)
        self.assertEqual([each["shape_differs"] for each in compared(SEVERAL, several[:2])],
                         [False, False, True, True])

    def test_of_nothing_is_nothing(self):
        text = LINEAR.replace("self.fc(x)", "x[:0]")
        (made,), _ = reference(text)
        found, = compared(text, [made])
        self.assertEqual((found["elements"], found["worst"], found["worst_index"]), (0, 0, -1))

    def test_does_not_follow_a_problem_that_writes_to_its_inputs(self):
        text = LINEAR.replace("self.fc(x)", "self.fc(x.add_(1))")
        (made,), _ = reference(text)
        self.assertEqual(compared(text, [made])[0]["beyond_1e4"], 0)


class Files(unittest.TestCase):
    """Of which the guest says something else than they hold."""

    def test_are_held_against_what_is_said(self):
        (made,), _ = reference(LINEAR)
        for wrong in ({"offset": 64}, {"offset": -64}, {"bytes": 1200}, {"shape": [20, 31], "bytes": 2480},
                      {"dtype": "complex64"}, {"shape": [-20, -30]}):
            with self.subTest(wrong), self.assertRaises(Failure) as caught:
                compared(LINEAR, [made], entry=wrong)
            self.assertEqual(caught.exception.kind, "invalid")

    def test_that_get_shorter_meanwhile_are_an_error(self):
        descriptor = os.memfd_create("test")
        output = raw.Output(descriptor, raw.write(descriptor, [("out", torch.ones(100))])[0])
        os.ftruncate(descriptor, 64)
        with self.assertRaises(Failure) as caught:
            output.part(0, 100)
        self.assertIn("left its file", caught.exception.message)
        os.close(descriptor)

    def test_of_flags_with_other_bytes_are_true(self):
        descriptor = os.memfd_create("test")
        output = raw.Output(descriptor, raw.write(descriptor, [("out", torch.zeros(2, dtype=torch.bool))])[0])
        os.pwrite(descriptor, b"\7", 1)
        self.assertEqual(output.part(0, 2).tolist(), [False, True])
        os.close(descriptor)


class Memory(unittest.TestCase):
    def test_that_is_too_little_for_the_double_is_told(self):
        desk = server.Desk()
        desk.verb("load")({"problem": "a", "file": "task.py", "text": LINEAR}, [])
        (made,), _ = reference(LINEAR)
        descriptor = os.memfd_create("test")
        entries = raw.write(descriptor, [("out", made)])
        request = {**REQUEST, "do": "compare", "problem": "a", "outputs": entries}
        with mock.patch.object(compare, "widened", side_effect=RuntimeError("CUDA out of memory.")):
            self.assertEqual(server.answer_to(desk, request, [descriptor])["kind"], "memory")
        self.assertTrue(server.answer_to(desk, request, [descriptor])["ok"])
        os.close(descriptor)
