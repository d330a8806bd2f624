# SPDX-License-Identifier: Apache-2.0
"""Three inputs, one of them one number for each row."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()

    def forward(self, first, second, share):
        return share.unsqueeze(1) * first + (1 - share).unsqueeze(1) * second


rows = 64
columns = 96


def get_inputs():
    return [torch.rand(rows, columns), torch.rand(rows, columns), torch.rand(rows)]


def get_init_inputs():
    return []
