# SPDX-License-Identifier: Apache-2.0
import sys
import unittest
from unittest import mock

import torch

from kernelpro_torch import timing, turning
from kernelpro_torch.failures import Failure

from fake_gpu import Clock, FakeGpu
from guests import REQUEST, RIGHT, WRAPPED, Guest, forward


class Timed(Guest):
    def sampled(self, runs=4):
        """The logic of `time`, with a GPU that does nothing."""
        clock = Clock()
        with mock.patch.object(timing, "Gpu", lambda: FakeGpu(clock)), \
                mock.patch.object(timing, "EMPTY_PAIRS", 1):
            trial = self.desk.trial(REQUEST, 11)
            other, _ = trial.candidate.drawn({}, 10, [], "cpu")
            turns = turning.Turning(other.inputs, trial.inputs)
            taken, outputs = trial.sampled(turns, {**REQUEST, "runs": runs}, timing.Gpu())
        return taken, outputs[0]

    def test_ends_with_values_of_the_last_seed(self):
        self.adopt(RIGHT)
        taken, output = self.sampled(runs=5)
        self.assertEqual(len(taken), 5)
        self.assertTrue(torch.equal(output, self.expected(seed=11)))

    def test_a_result_that_is_kept_is_wrong_by_whatever_it_is_known(self):
        for known in ("id(x)", "x.data_ptr()", "(id(x), x._version)", "tuple(x.shape)"):
            with self.subTest(known):
                self.adopt(forward(f"kept = ModelNew.__dict__.get('kept', {{}})", "ModelNew.kept = kept",
                                   f"if {known} not in kept: kept[{known}] = self.fc(x) * scale",
                                   f"return kept[{known}]"))
                self.assertTrue(torch.equal(self.first_run(12), self.expected(12)))
                self.assertFalse(torch.equal(self.sampled()[1], self.expected()))

    def test_no_run_sees_values_of_another(self):
        self.adopt(forward("kept = ModelNew.__dict__.get('kept', {})", "ModelNew.kept = kept",
                           "seen = tuple(x.flatten().tolist())",
                           "if seen not in kept: kept[seen] = len(kept)",
                           "return torch.full((1,), float(kept[seen]))"))
        _, output = self.sampled(runs=9)
        self.assertEqual(output.item(), 9)  # those of the warm-ups are equal, and before

    def test_what_the_candidate_raises_names_its_line(self):
        self.adopt(forward("raise ValueError('on each call')"))
        with self.assertRaises(Failure) as caught:
            self.sampled()
        self.assertIn("new.py:8", caught.exception.message)

    def test_work_that_an_output_puts_off_is_timed(self):
        clock = Clock()
        self.adopt(WRAPPED.replace("bare =", "later(); bare =") + "later = None\n"
                   + forward("return Wrapped(torch.ones(4))"))
        trial = self.desk.trial(REQUEST, 11)

        def later():
            clock.now += 5e-6
        sys.modules[trial.candidate.model_class.__module__].later = later
        turns = turning.Turning(trial.inputs, trial.inputs)
        taken, _ = trial.sampled(turns, REQUEST, FakeGpu(clock))
        self.assertTrue(all(each >= 4999 for each in taken), taken)

    def first_run(self, seed):
        entry, = self.ask("run", seed=seed)["outputs"]
        return self.read(entry)


class Turning(unittest.TestCase):
    def test_refuses_inputs_of_other_shapes(self):
        for usual, last in (([torch.ones(2)], [torch.ones(3)]), ([1], [2]), ([torch.ones(2)], [])):
            with self.assertRaises(Failure):
                turning.Turning(usual, last)

    def test_tells_apart_all_values_of_narrow_types_that_follow_each_other(self):
        usual = [torch.rand(9).bfloat16(), torch.arange(3)]
        turns = turning.Turning(usual, [torch.rand(9).bfloat16(), torch.ones(3).long()])
        before = turns.values[0].clone()
        for _ in range(70):
            turns.turn()
            self.assertFalse(torch.equal(before, turns.values[0]))
            before = turns.values[0].clone()
        self.assertTrue(torch.equal(turns.values[1], torch.arange(3)))
        turns.end()
        self.assertTrue(torch.equal(turns.values[1], torch.ones(3).long()))
