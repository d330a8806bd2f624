# SPDX-License-Identifier: Apache-2.0
"""Sizes that stand in tuples."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, kernel_size, stride):
        super(Model, self).__init__()
        self.pool = nn.AvgPool2d(kernel_size, stride=stride)

    def forward(self, x):
        return self.pool(x)


batch_size, channels = 4, 6
input_shape = (20, 24)
kernel_size = (2, 3)
stride = 2


def get_inputs():
    return [torch.rand(batch_size, channels, *input_shape)]


def get_init_inputs():
    return [kernel_size, stride]
