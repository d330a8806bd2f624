# SPDX-License-Identifier: Apache-2.0
import unittest

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelpro_torch import placing, recurrent
from kernelpro_torch.count import Count


class Watched(TorchDispatchMode):
    """The operations of a run with values."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        made = operation(*args, **(kwargs or {}))
        self.count.see(operation, args, made)
        return made


def counted(run, *inputs):
    count = Count()
    count.on = True
    with Watched(count), torch.no_grad():
        run(*inputs)
    return count.contraction, count.other


def followed(make, *shapes):
    """As without values; with what comes out."""
    count = Count()
    with placing.shapes_only(count), torch.no_grad():
        run, inputs = make(), [torch.rand(shape) for shape in shapes]
        count.on = True
        made = run(*inputs)
    return (count.contraction, count.other), made


class Counting(unittest.TestCase):
    def test_products(self):
        a, b, c = torch.rand(3, 5), torch.rand(5, 7), torch.rand(2, 5, 7)
        self.assertEqual(counted(torch.matmul, a, b), (2 * 3 * 5 * 7, 0))
        self.assertEqual(counted(torch.matmul, a, c), (2 * 2 * 3 * 5 * 7, 0))
        self.assertEqual(counted(torch.matmul, a, b[:, 0]), (2 * 3 * 5, 0))
        self.assertEqual(counted(lambda: torch.einsum("ij,jk->ki", a, b)), (2 * 3 * 5 * 7, 0))
        self.assertEqual(counted(torch.nn.Linear(5, 4), a)[0], 2 * 3 * 5 * 4)

    def test_convolutions(self):
        x = torch.rand(2, 4, 9, 9)
        self.assertEqual(counted(torch.nn.Conv2d(4, 6, 3, groups=2), x)[0], 2 * (2 * 6 * 49) * (2 * 9))
        self.assertEqual(counted(torch.nn.ConvTranspose2d(4, 6, 3, stride=2), x)[0],
                         2 * (2 * 4 * 81) * (6 * 9))

    def test_other_operations_by_their_larger_side(self):
        x = torch.rand(3, 5)
        self.assertEqual(counted(torch.relu, x), (0, 15))
        self.assertEqual(counted(lambda: x.sum(1)), (0, 15))
        self.assertEqual(counted(lambda: x + x[0]), (0, 15))

    def test_views_copies_and_integers_are_no_work(self):
        x = torch.rand(3, 5)
        self.assertEqual(counted(lambda: x.t().contiguous().view(-1)[2:]), (0, 0))
        self.assertEqual(counted(lambda: torch.cat([x, torch.zeros(1, 5)])), (0, 0))
        self.assertEqual(counted(lambda: torch.arange(5) + 1), (0, 0))

    def test_recurrent_networks_in_one_step_as_step_by_step(self):
        for kind, state in ((torch.nn.LSTM, 2), (torch.nn.GRU, 1), (torch.nn.RNN, 1)):
            with self.subTest(kind.__name__):
                cells = kind(3, 4, 2, bidirectional=True)
                h = tuple(torch.rand(4, 2, 4) for _ in range(state))
                with torch.backends.mkldnn.flags(enabled=False):  # one operation for all of it
                    found = counted(cells, torch.rand(5, 2, 3), h if state == 2 else h[0])
                made, outputs = followed(lambda k=kind: k(3, 4, 2, bidirectional=True), (5, 2, 3))
                self.assertEqual(made, found)
                self.assertEqual(outputs[0].shape, (5, 2, 8))
                last = outputs[1] if state == 1 else outputs[1][1]
                self.assertEqual(last.shape, (4, 2, 4))


class Shapes(unittest.TestCase):
    def test_are_followed_without_arrays(self):
        _, made = followed(lambda: lambda x: x.softmax(1).sum(0), (1 << 20, 1 << 20))
        self.assertEqual(made.shape, (1 << 20,))

    def test_small_values_may_be_looked_at(self):
        def rates():
            steps = [x.item() for x in torch.linspace(0, 1, 3)]
            return lambda x: x * steps[2]
        self.assertEqual(followed(rates, (4, 5))[1].shape, (4, 5))

    def test_small_values_into_which_others_were_written_may_not_be_looked_at(self):
        def total(x):
            found = torch.zeros(())
            found += x.sum()
            twice = found * 2
            return x if twice.item() > 0 else -x
        with self.assertRaises(Exception):
            followed(lambda: total, (4, 5))

    def test_of_pooling_in_three_dimensions_are_those_of_a_run(self):
        for arguments in ({"kernel_size": 3}, {"kernel_size": 2, "stride": 3, "padding": 1},
                          {"kernel_size": (1, 2, 3), "dilation": 2, "stride": 1},
                          {"kernel_size": 3, "stride": 2, "ceil_mode": True, "padding": 1}):
            with self.subTest(arguments):
                pool = torch.nn.MaxPool3d(**arguments)
                _, made = followed(lambda p=pool: p, (2, 3, 8, 9, 10))
                self.assertEqual(made.shape, pool(torch.rand(2, 3, 8, 9, 10)).shape)

    def test_a_form_for_packed_sequences_is_left_alone(self):
        self.assertFalse(recurrent.is_whole([None] * 9))
