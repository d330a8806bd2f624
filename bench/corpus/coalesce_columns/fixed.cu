// SPDX-License-Identifier: Apache-2.0
// The sum of squares of each column. A thread walks down a column.
/* kernelpro
axis   rows = 256, cols = 131072
check  rows = 64, cols = 256
input  x : f32[rows, cols] ~ normal
output y : f32[cols]
precision f32
work   flops = 2 * rows * cols
launch columns<<<cols / 128, 128>>>(x, y, rows, cols)
*/
extern "C" __global__ void columns(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int cols) {
  const int col = blockIdx.x * 128 + threadIdx.x;
  float sum[4] = {};
#pragma unroll 4
  for (int r = 0; r < rows; r += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float value = x[(r + k) * cols + col];
      sum[k] = fmaf(value, value, sum[k]);
    }
  }
  y[col] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
