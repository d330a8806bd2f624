// SPDX-License-Identifier: Apache-2.0
// Softmax of short rows, one warp a row, rows in registers.
/* kernelpro
axis   rows = 32768
check  rows = 256
input  x : f32[rows, 256]
output y : f32[rows, 256]
launch softmax_warp<<<ceil_div(rows, 4), 128>>>(x, y, rows)
*/
extern "C" __global__ void softmax_warp(const float* x, float* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v[8], largest = -1e30f, sum = 0;
  for (int i = 0; i < 8; ++i) v[i] = x[row * 256 + i * 32 + lane];
  for (int i = 0; i < 8; ++i) largest = fmaxf(largest, v[i]);
  for (int step = 16; step > 0; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  for (int i = 0; i < 8; ++i) sum += v[i] = __expf(v[i] - largest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  for (int i = 0; i < 8; ++i) y[row * 256 + i * 32 + lane] = v[i] / sum;
}
