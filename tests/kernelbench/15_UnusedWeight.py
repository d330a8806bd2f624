# SPDX-License-Identifier: Apache-2.0
"""A layer whose result goes nowhere."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super(Model, self).__init__()
        self.first = nn.Linear(in_features, out_features, bias=False)
        self.second = nn.Linear(out_features, 1)

    def forward(self, x):
        hidden = torch.tanh(self.first(x))
        self.second(hidden)
        return hidden


batch_size = 16
in_features = 32
out_features = 24


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
