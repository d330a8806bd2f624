# SPDX-License-Identifier: Apache-2.0
"""The problem that the candidates beside it answer: y = x / (1 + |x|), three kernels in eager PyTorch."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x / (1 + torch.abs(x))


batch_size = 4096
width = 16384


def get_inputs():
    return [torch.rand(batch_size, width)]


def get_init_inputs():
    return []
