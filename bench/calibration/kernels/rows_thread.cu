// SPDX-License-Identifier: Apache-2.0
// Row sums, one thread a row: lanes lie a row apart.
/* kernelpro
axis   rows = 32768, cols = 256
check  rows = 256, cols = 256
input  x : f32[rows, cols]
output y : f32[rows]
launch rows_thread<<<ceil_div(rows, 128), 128>>>(x, y, rows, cols)
*/
extern "C" __global__ void rows_thread(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[row * cols + c];
  y[row] = sum;
}
