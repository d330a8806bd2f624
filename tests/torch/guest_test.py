# SPDX-License-Identifier: Apache-2.0
import os
from unittest import mock

import torch

from kernelpro_torch import candidate
from kernelpro_torch.problem import Problem

from guests import PROBLEM, REQUEST, RIGHT, WRAPPED, Guest, forward


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
        self.assertEqual(list(self.ask("burst", runs=7)), ["keeps"])
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


class Compilers(Guest):
    def test_that_a_candidate_has_talk_past_python_are_heard(self):
        talk = "import os\nos.system('echo step.cu:3: error: no semicolon; echo [1/2] built')\n"
        failure = self.refusal("adopt", file="new.py", text=talk + "raise RuntimeError('Error building')\n")
        self.assertEqual(failure.message, "RuntimeError: Error building (new.py:3) step.cu:3: error: no semicolon")

    def test_are_quiet_where_nothing_is_wrong(self):
        before = os.fstat(1)
        self.adopt("import os\nos.system('echo said')\n" + RIGHT)
        self.assertEqual((os.fstat(1).st_dev, os.fstat(1).st_ino), (before.st_dev, before.st_ino))


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
