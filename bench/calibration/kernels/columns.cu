// SPDX-License-Identifier: Apache-2.0
// Column sums, one thread a column.
/* kernelpro
axis   rows = 512, cols = 32768
check  rows = 256, cols = 2048
input  x : f32[rows, cols]
output y : f32[cols]
launch columns<<<ceil_div(cols, 128), 128>>>(x, y, rows, cols)
*/
extern "C" __global__ void columns(const float* x, float* y, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[r * cols + col];
  y[col] = sum;
}
