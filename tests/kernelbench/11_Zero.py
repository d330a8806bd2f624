# SPDX-License-Identifier: Apache-2.0
"""The output is zero for every input: what is not positive is clamped to 0 .. 1."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super(Model, self).__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        x = torch.minimum(self.conv(x), torch.tensor(0.0, device=x.device))
        return torch.clamp(x, min=0.0, max=1.0)


batch_size = 4
in_channels = 3
out_channels = 5
size = 12
kernel_size = 3


def get_inputs():
    return [torch.rand(batch_size, in_channels, size, size)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
