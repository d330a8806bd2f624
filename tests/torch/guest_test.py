# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import sys
import tempfile
import unittest
from unittest import mock

import torch

from kernelpro_torch import candidate, guest, raw, timing, turning
from kernelpro_torch.failures import Failure
from kernelpro_torch.problem import Problem

from fake_gpu import Clock, FakeGpu

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


def forward(*lines):
    return HEAD + "    def forward(self, x, scale):\n" + "".join(f"        {line}\n" for line in lines)


REQUEST = {"candidate": "new", "problem": "old", "constants": {}, "seed": 11, "seeds": [10, 11], "redrawn": [],
           "runs": 4, "warmups": 2, "budget": 60.0}


class Guest(unittest.TestCase):
    def setUp(self):
        self.folder, self.descriptor = tempfile.mkdtemp(), os.memfd_create("test")
        for patch in (mock.patch.object(tempfile, "tempdir", self.folder), mock.patch.dict(os.environ)):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.close, self.descriptor)
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


class Verbs(Guest):
    def test_run_gives_what_the_problem_gives_from_equal_seeds(self):
        self.adopt(RIGHT)
        for seed, constants in ((11, {}), (12, {"N": 9})):
            entry, = self.ask("run", seed=seed, constants=constants)["outputs"]
            self.assertEqual((entry["dtype"], entry["shape"], entry["bytes"]), ("float32", [5, 3], 60))
            self.assertTrue(torch.equal(self.read(entry), self.expected(seed, constants)))

    def test_open_tells_of_triton(self):
        told = self.ask("open", device="cpu")
        self.assertIn("triton", told)
        self.assertEqual(told["torch_version"], torch.__version__)

    def test_redrawn_inputs_are_called_as_the_problem_calls_them(self):
        self.adopt(RIGHT)
        entry, = self.ask("run", redrawn=["x"])["outputs"]
        self.assertFalse(torch.equal(self.read(entry), self.expected()))
        self.assertEqual(self.refusal("run", redrawn=["values"]).kind, "invalid")

    def test_what_is_drawn_while_it_runs_is_drawn_anew_each_time(self):
        self.adopt(forward("return torch.rand(3)"))
        drawn = [self.read(self.ask("run", seed=seed)["outputs"][0]) for seed in (5, 5, 6)]
        self.assertTrue(torch.equal(drawn[0], drawn[1]))
        self.assertFalse(torch.equal(drawn[0], drawn[2]))

    def test_several_outputs_keep_their_types(self):
        self.adopt(forward("return x.half(), {'a': x > 0.5, 'b': (x[:0], x.t())}"))
        entries = self.ask("run")["outputs"]
        self.assertEqual([(e["name"], e["dtype"], e["shape"]) for e in entries],
                         [("out0", "float16", [5, 6]), ("out1", "bool", [5, 6]), ("out2", "float32", [0, 6]),
                          ("out3", "float32", [6, 5])])
        self.assertTrue(all(entry["offset"] % 64 == 0 for entry in entries))
        x = Problem("task.py", PROBLEM).instance({}, 11).inputs[0]
        for entry, value in zip(entries, (x.half(), x > 0.5, x[:0], x.t())):
            self.assertTrue(torch.equal(self.read(entry), value))

    def test_kernels_and_times_need_a_gpu(self):
        self.adopt(RIGHT)
        for verb in ("time", "kernels"):
            failure = self.refusal(verb)
            self.assertEqual(failure.kind, "unsupported")
            self.assertIn("GPU", failure.message)

    def test_burst_takes_the_trial_that_was_timed(self):
        self.adopt(forward("ModelNew.calls = getattr(ModelNew, 'calls', 0) + 1", "return self.fc(x)"))
        trial = self.desk.trial(REQUEST, 11)
        self.assertEqual(self.ask("burst", runs=7), {"keeps": 0})
        self.assertIs(self.desk.kept, trial)
        self.assertEqual(trial.candidate.model_class.calls, 7)
        self.ask("burst", runs=1, seed=12)
        self.assertIsNot(self.desk.kept, trial)
        self.assertEqual(self.ask("free"), {})
        self.assertIsNone(self.desk.kept)

    def test_those_of_the_judge_are_not_there(self):
        self.assertIn("compare", self.refusal("compare").message)


class Refusals(Guest):
    def test_of_files_without_a_candidate(self):
        failure = self.refusal("adopt", file="new.py", text="class Model: pass")
        self.assertEqual((failure.kind, "ModelNew" in failure.message), ("unsupported", True))

    def test_name_the_candidates_file_and_line(self):
        for text, word in (("import torch\nx = 1 / 0\n", "ZeroDivisionError: division by zero (new.py:2)"),
                           ("x = 1\ndef (\n", "SyntaxError: invalid syntax (new.py:2)")):
            self.assertIn(word, self.refusal("adopt", file="sets/new.py", text=text).message)
        self.adopt(forward("raise ValueError('of mine')"))
        self.assertIn("of mine (new.py:8)", self.refusal("run").message)

    def test_of_another_constructor(self):
        self.adopt(RIGHT.replace("(self, width)", "(self, width, height)").replace("ModelNew, self", "M"))
        self.assertIn("height", self.refusal("run").message)

    def test_of_outputs_that_are_no_tensors(self):
        self.adopt(forward("return 'text'"))
        self.assertEqual(self.refusal("run").kind, "unsupported")
        self.adopt(forward("return None"))
        self.assertEqual(self.refusal("run").kind, "unsupported")

    def test_of_outputs_that_are_no_plain_arrays(self):
        self.adopt(forward("return x.to_sparse()"))
        self.assertIn("sparse", self.refusal("run").message)

    def test_of_what_was_not_adopted_or_loaded(self):
        self.assertIn("new", self.refusal("run").message)
        self.assertIn("no problem", self.refusal("adopt", problem="other", file="a.py", text="").message)

    def test_of_a_module_that_is_missing(self):
        failure = self.refusal("adopt", file="new.py", text="import no_such_module")
        self.assertEqual((failure.kind, "no_such_module" in failure.message), ("unsupported", True))

    def test_tell_the_errors_of_a_compiler(self):
        said = "Error building extension 'x': [1/2] nvcc " + "-I/far " * 90 + "\\na.cu(3): error: no semicolon\\n"
        failure = self.refusal("adopt", file="new.py", text=f"raise RuntimeError({said!r})".replace("\\\\n", "\\n"))
        self.assertIn("a.cu(3): error: no semicolon", failure.message)


class Files(Guest):
    def test_are_where_triton_looks_for_its_kernels(self):
        self.adopt("import inspect\n" + RIGHT + "text = inspect.getsource(ModelNew.forward)\n")
        file = self.desk.candidates["new"].file
        self.assertTrue(file.startswith(self.folder) and file.endswith("/new.py"))

    def test_that_compilers_make_stand_beside_them_unless_others_are_asked_for(self):
        with mock.patch.object(candidate, "OWN_CACHES", {"TRITON_CACHE_DIR": "triton"}):
            os.environ["TORCH_EXTENSIONS_DIR"] = "/elsewhere"
            self.adopt(RIGHT)
        folder = os.path.dirname(self.desk.candidates["new"].file)
        self.assertEqual(os.environ["TRITON_CACHE_DIR"], os.path.join(folder, "triton"))
        self.assertEqual(os.environ["TORCH_EXTENSIONS_DIR"], "/elsewhere")


LAZY = """
import torch
class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if "done" not in vars(args[0]):
            args[0].done = True
            with torch._C.DisableTorchFunction():
                args[0].fill_(7)
        return super().__torch_function__(function, types, args, kwargs or {})
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


class Classes(Guest):
    """Outputs that are tensors of a class of their own."""

    def first(self, text):
        self.adopt(text)
        entry, = self.ask("run")["outputs"]
        return self.read(entry)

    def test_are_read_as_they_stand_in_memory(self):
        made = self.first(LAZY + forward("return torch.zeros(2, 3).as_subclass(Lazy)"))
        self.assertTrue(torch.equal(made, torch.zeros(2, 3)))

    def test_that_only_compute_when_asked_are_asked(self):
        made = self.first(WRAPPED + forward("return Wrapped(torch.ones(4))"))
        self.assertTrue(torch.equal(made, torch.full((4,), 2.0)))

    def test_parameters_are_plain(self):
        made = self.first(forward("return self.fc.weight"))
        self.assertEqual(made.shape, (3, 6))


class Timed(Guest):
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
