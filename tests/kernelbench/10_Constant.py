# SPDX-License-Identifier: Apache-2.0
"""The output is the same number for every input: softmax over one element."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super(Model, self).__init__()
        self.gemm = nn.Linear(in_features, out_features)

    def forward(self, x):
        x = torch.sum(self.gemm(x), dim=1, keepdim=True)
        return torch.softmax(x, dim=1)


batch_size = 32
in_features = 64
out_features = 48


def get_inputs():
    return [torch.rand(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
