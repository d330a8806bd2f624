# SPDX-License-Identifier: Apache-2.0
import unittest

import torch

from kernelpro_torch import failures, names


class UniqueNames(unittest.TestCase):
    def test_are_identifiers(self):
        given = names.Names()
        self.assertEqual([given.unique(n) for n in ("a.b-c", "float", "1x", "a_b_c", "threadIdx", "")],
                         ["a_b_c", "float_", "t1x", "a_b_c_2", "threadIdx_", "tensor"])


class Kept(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(2)
        self.first = torch.nn.Linear(2, 2)
        self.tied = self.first.weight
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.scale = torch.nn.Parameter(torch.ones(1))


class Weights(unittest.TestCase):
    def test_are_all_tensors_of_a_model_each_once(self):
        keys = [key for key, _ in names.weights(Kept())]
        self.assertEqual(keys, ["tied", "scale", "first.bias", "mask", "table"])

    def test_are_put_where_the_model_finds_them(self):
        model = torch.nn.GRU(2, 3)
        for _, place in names.weights(model):
            place.put(torch.zeros_like(place.get()))
        output, _ = model(torch.ones(1, 1, 2))
        self.assertEqual(output.abs().sum().item(), 0)


class Outputs(unittest.TestCase):
    def test_are_found_in_tuples_lists_and_dicts(self):
        tensors = [torch.tensor(i) for i in range(4)]
        made = (tensors[0], None, [tensors[1], {"a": tensors[2]}], tensors[3])
        self.assertEqual([t.item() for t in names.flat(made)], [0, 1, 2, 3])

    def test_that_are_no_tensors_are_refused(self):
        for made in ("text", (torch.ones(1), 5), torch.ones(1, dtype=torch.complex64)):
            with self.assertRaises(failures.Failure) as caught:
                list(names.flat(made))
            self.assertEqual(caught.exception.kind, "unsupported")
