# SPDX-License-Identifier: Apache-2.0
"""Honest, in Triton."""
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softsign_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, v / (1.0 + tl.abs(v)), mask=i < n)


class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        n = x.numel()
        softsign_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        return y
