# SPDX-License-Identifier: Apache-2.0
"""Two outputs, the second of integers."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, x):
        return torch.max(x, dim=1)


rows = 24
columns = 40


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
