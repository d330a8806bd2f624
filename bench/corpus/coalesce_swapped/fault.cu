// SPDX-License-Identifier: Apache-2.0
// A matrix whose columns are scaled. Lanes of a warp lie a row apart.
/* kernelpro
axis   rows = 4096, cols = 4096
check  rows = 64, cols = 96
input  x : f32[rows, cols] ~ normal
input  scale : f32[cols] ~ normal
output y : f32[rows, cols]
precision f32
work   flops = rows * cols
launch scale_columns<<<(rows / 32, cols / 32), (32, 8)>>>(x, scale, y, cols)
*/
extern "C" __global__ void scale_columns(const float* __restrict__ x,
                                         const float* __restrict__ scale, float* __restrict__ y,
                                         int cols) {
  const int row = blockIdx.x * 32 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int col = blockIdx.y * 32 + k * 8 + threadIdx.y;
    y[row * cols + col] = x[row * cols + col] * scale[col];
  }
}
