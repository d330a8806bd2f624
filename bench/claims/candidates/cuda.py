# SPDX-License-Identifier: Apache-2.0
"""Honest, in CUDA: one kernel, four floats a thread."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>

__global__ void softsign4(const float4* x, float4* y, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  v.x /= 1.0f + fabsf(v.x);
  v.y /= 1.0f + fabsf(v.y);
  v.z /= 1.0f + fabsf(v.z);
  v.w /= 1.0f + fabsf(v.w);
  y[i] = v;
}

torch::Tensor softsign(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const long n = x.numel() / 4;
  softsign4<<<(n + 255) / 256, 256>>>(reinterpret_cast<const float4*>(x.data_ptr<float>()),
                                      reinterpret_cast<float4*>(y.data_ptr<float>()), n);
  return y;
}
"""
extension = load_inline(name="softsign", cpp_sources="torch::Tensor softsign(torch::Tensor x);",
                        cuda_sources=SOURCE, functions=["softsign"])


class ModelNew(nn.Module):
    def forward(self, x):
        return extension.softsign(x)
