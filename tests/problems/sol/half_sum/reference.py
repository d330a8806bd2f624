# SPDX-License-Identifier: Apache-2.0
import torch


@torch.no_grad()
def run(x):
    half = x.shape[1] // 2
    return x[:, :half] + x[:, half:]
