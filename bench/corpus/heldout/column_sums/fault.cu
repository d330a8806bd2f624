// SPDX-License-Identifier: Apache-2.0
// Sums of columns: 2048 threads, each of which goes through all rows.
/* kernelpro
axis   rows = 32768, cols = 2048
check  rows = 512, cols = 256
input  x : f32[rows, cols] ~ normal
output y : f32[cols]
precision f32
work   flops = rows * cols
launch sums<<<cols / 256, 256>>>(x, y, rows, cols)
*/
extern "C" __global__ void sums(const float* x, float* y, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float part[4] = {0.f, 0.f, 0.f, 0.f};
  for (int row = 0; row < rows; row += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) part[k] += x[(size_t)(row + k) * cols + col];
  }
  y[col] = (part[0] + part[1]) + (part[2] + part[3]);
}
