// SPDX-License-Identifier: Apache-2.0
// The sum of squares of each column. A warp walks down a column.
/* kernelpro
axis   rows = 256, cols = 131072
check  rows = 64, cols = 256
input  x : f32[rows, cols] ~ normal
output y : f32[cols]
precision f32
work   flops = 2 * rows * cols
launch columns<<<cols / 8, 256>>>(x, y, rows, cols)
*/
extern "C" __global__ void columns(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int cols) {
  const int col = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int r = lane; r < rows; r += 32) sum = fmaf(x[r * cols + col], x[r * cols + col], sum);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[col] = sum;
}
