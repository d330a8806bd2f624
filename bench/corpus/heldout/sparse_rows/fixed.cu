// SPDX-License-Identifier: Apache-2.0
// A sparse matrix with 32 entries in each row times a vector; a row belongs to one warp.
/* kernelpro
axis   rows = 524288, cols = 1048576
check  rows = 256, cols = 1000
input  value : f32[rows, 32] ~ normal
input  column : i32[rows, 32] ~ int(0, cols - 1)
input  x : f32[cols] ~ normal
output y : f32[rows]
precision f32
work   flops = 64 * rows
launch multiply<<<rows / 8, 256>>>(value, column, x, y)
*/
extern "C" __global__ void multiply(const float* value, const int* column,
                                    const float* __restrict__ x, float* y) {
  const size_t row = blockIdx.x * 8 + (threadIdx.x >> 5);
  const size_t entry = row * 32 + (threadIdx.x & 31);
  float total = value[entry] * x[column[entry]];
  for (int distance = 1; distance != 32; distance <<= 1)
    total += __shfl_down_sync(0xffffffffu, total, distance);
  if ((threadIdx.x & 31) == 0) y[row] = total;
}
