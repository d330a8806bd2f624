// SPDX-License-Identifier: Apache-2.0
// Row sums, one warp a row.
/* kernelpro
axis   rows = 16384, cols = 1024
check  rows = 256, cols = 1024
input  x : f32[rows, cols]
output y : f32[rows]
launch rows_warp<<<ceil_div(rows, 8), 256>>>(x, y, rows, cols)
*/
extern "C" __global__ void rows_warp(const float* x, float* y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += x[(long long)row * cols + c];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}
