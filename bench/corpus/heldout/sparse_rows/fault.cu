// SPDX-License-Identifier: Apache-2.0
// A sparse matrix with 32 entries in each row times a vector; a row belongs to one thread.
/* kernelpro
axis   rows = 524288, cols = 1048576
check  rows = 256, cols = 1000
input  value : f32[rows, 32] ~ normal
input  column : i32[rows, 32] ~ int(0, cols - 1)
input  x : f32[cols] ~ normal
output y : f32[rows]
precision f32
work   flops = 64 * rows
launch multiply<<<rows / 256, 256>>>(value, column, x, y)
*/
extern "C" __global__ void multiply(const float* value, const int* column,
                                    const float* __restrict__ x, float* y) {
  const size_t row = blockIdx.x * blockDim.x + threadIdx.x;
  value += row * 32;
  column += row * 32;
  float total = 0.f;
  for (int entry = 0; entry != 32; ++entry) total += value[entry] * x[column[entry]];
  y[row] = total;
}
