# SPDX-License-Identifier: Apache-2.0
"""Inputs whose form a kernel may rely on: triangular, symmetric, a causal mask, signs, in order."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, upper, same, mask, signs, order):
        return (torch.matmul(upper, same) * mask)[order] * signs


N = 96
rows = 160


def get_inputs():
    upper = torch.triu(torch.rand(N, N))
    half = torch.rand(N, N)
    mask = torch.ones(N, N).tril().bool()
    signs = torch.randint(0, 2, (N,)).float() * 2 - 1
    order = torch.randint(0, N, (rows,)).sort().values
    return [upper, half + half.T, mask, signs, order]


def get_init_inputs():
    return []
