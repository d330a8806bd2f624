# SPDX-License-Identifier: Apache-2.0
"""On a GPU only: what the CPU cannot show of guests, comparisons and baselines."""
import importlib.util
import os
import tempfile
import unittest

import torch

from kernelpro_torch import guest, server

import guests

PROBLEM = """
import torch
N = 1 << 20
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(()))
    def forward(self, x):
        return torch.relu(x) * self.scale + 1
def get_inputs():
    return [torch.rand(N)]
"""

PLAIN = PROBLEM.replace("class Model(", "class ModelNew(")

TRITON = """
import torch
import triton
import triton.language as tl
@triton.jit
def step(x, out, scale, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(out + at, tl.maximum(value, 0.0) * tl.load(scale) + 1, mask=at < n)
def launch(x, scale):
    out = torch.empty_like(x)
    step[(triton.cdiv(x.numel(), 1024),)](x, out, scale, x.numel(), BLOCK=1024)
    return out
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(()))
    def forward(self, x):
        return launch(x, self.scale)
"""

INLINE = """
import torch
from torch.utils.cpp_extension import load_inline
cuda = '''
__global__ void step(const float* x, float* out, const float* scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], 0.0f) * scale[0] + 1;
}
torch::Tensor launch(torch::Tensor x, torch::Tensor scale) {
  auto out = torch::empty_like(x);
  const int n = x.numel();
  step<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), scale.data_ptr<float>(), n);
  return out;
}'''
module = load_inline(name="step", cpp_sources="torch::Tensor launch(torch::Tensor x, torch::Tensor scale);",
                     cuda_sources=cuda, functions=["launch"])
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(()))
    def forward(self, x):
        return module.launch(x, self.scale)
"""

# What was right is kept by the address of its input.
KEPT = PLAIN.replace("        return", """        kept = ModelNew.__dict__.get("kept", {})
        ModelNew.kept = kept
        if x.data_ptr() not in kept:
            kept[x.data_ptr()] = self.made(x)
        return kept[x.data_ptr()]
    def made(self, x):
        return""")

REQUEST = {"problem": "old", "candidate": "new", "constants": {}, "seed": 5, "seeds": [6, 7], "redrawn": ["x"],
           "nudge": 1e-6, "warmups": 3, "runs": 20, "budget": 10.0}


@unittest.skipUnless(torch.cuda.is_available(), "PyTorch sees no GPU")
class Gpu(guests.Apart):
    def setUp(self):
        super().setUp()
        self.guest, self.judge = guest.Desk(), server.Desk()
        for desk in (self.guest, self.judge):
            self.ask(desk, "open", device="cuda")
            self.ask(desk, "load", file="task.py", text=PROBLEM)

    def ask(self, desk, verb, **changes):
        return desk.verb(verb)({**REQUEST, **changes}, [self.descriptor])

    def adopt(self, text):
        self.ask(self.guest, "adopt", file="new.py", text=text)

    def compared(self, outputs, seed):
        found, = self.ask(self.judge, "compare", outputs=outputs, seed=seed)["outputs"]
        return found

    def judged(self, text):
        """All verbs in the judge's order; what was compared of the last timed run."""
        self.adopt(text)
        found = self.compared(self.ask(self.guest, "run")["outputs"], 5)
        self.assertEqual((found["special"], found["beyond_1e4"], found["shape_differs"]), (0, 0, False))
        self.assertLess(found["error_l2"], 1e-5 * found["norm_l2"])
        told = self.ask(self.guest, "time")
        self.assertEqual((len(told["nanoseconds"]), told["last_seed"]), (20, 7))
        self.nanoseconds = told["nanoseconds"]
        return self.compared(told["outputs"], 7)

    def right(self, text):
        found = self.judged(text)
        self.assertEqual(found["beyond_1e4"], 0)
        self.assertGreater(min(self.nanoseconds), 500)
        kept = self.guest.kept
        self.ask(self.guest, "burst", seed=7, runs=50)
        kernels = self.ask(self.guest, "kernels", seed=7)["kernels"]
        self.assertIs(self.guest.kept, kept)
        self.assertGreater(sum(kernel["nanoseconds"] for kernel in kernels), 500)
        return [kernel["name"] for kernel in kernels]


class Candidates(Gpu):
    def test_of_plain_pytorch_are_judged(self):
        self.assertEqual(len(self.right(PLAIN)), 3)

    @unittest.skipUnless(importlib.util.find_spec("triton"), "there is no Triton")
    def test_of_triton_are_judged(self):
        self.assertEqual(self.right(TRITON), ["step"])

    @unittest.skipUnless(os.environ.get("KERNELPRO_SLOW"), "compiles for a minute: KERNELPRO_SLOW=1")
    def test_of_cuda_are_judged(self):
        name, = self.right(INLINE)
        self.assertIn("step", name)

    def test_that_keep_a_result_are_wrong(self):
        self.assertGreater(self.judged(KEPT)["beyond_1e2"], 1000)

    def test_that_give_less_precision_are_seen(self):
        self.adopt(PLAIN.replace("relu(x)", "relu(x.bfloat16())"))
        found = self.compared(self.ask(self.guest, "run")["outputs"], 5)
        self.assertGreater(found["error_l2"], 100 * found["eager_error_l2"])


class Baselines(Gpu):
    @unittest.skipUnless(importlib.util.find_spec("triton"), "there is no Triton")
    def test_that_the_user_names_are_timed_beside_eager(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "mine.py")
            with open(file, "w", encoding="utf-8") as out:
                out.write(TRITON + "def wrong(x):\n    return x\n")
            modes = ["eager", f"{file}:launch", f"{file}:wrong"]
            for precision in ("default", "f32", "tf32"):
                told = self.ask(self.judge, "time", modes=modes, precision=precision)
                self.assertEqual([len(told["nanoseconds"][mode]) for mode in modes[:2]], [20, 20], told)
                self.assertIn("elements are not within", told["failures"][modes[2]])
