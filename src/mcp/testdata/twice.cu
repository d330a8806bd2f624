// SPDX-License-Identifier: Apache-2.0
// Every value doubled, one thread a row: neighbouring threads touch addresses that are far apart.
/* kernelpro
axis   rows = 2048, cols = 256
check  rows = 5, cols = 77
input  x : f32[rows, cols] ~ normal
output y : f32[rows, cols]
precision f32
launch twice<<<ceil_div(rows, 64), 64>>>(x, y, rows, cols)
*/
extern "C" __global__ void twice(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c < cols; ++c) y[(size_t)row * cols + c] = 2 * x[(size_t)row * cols + c];
}
