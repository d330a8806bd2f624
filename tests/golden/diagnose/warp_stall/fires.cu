// SPDX-License-Identifier: Apache-2.0
// The sum of each column, one thread a column; each load waits for the addition before.
/* kernelpro
axis   rows = 512, cols = 65536
check  rows = 40, cols = 77
input  x : f32[rows, cols] ~ normal
output y : f32[cols]
work   flops = rows * cols, bytes = 4 * rows * cols + 4 * cols
launch sums<<<ceil_div(cols, 256), 256>>>(x, y, rows, cols)
*/
extern "C" __global__ void sums(const float* x, float* y, int rows, int cols) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; ++row) sum += x[(size_t)row * cols + column];
  y[column] = sum;
}
