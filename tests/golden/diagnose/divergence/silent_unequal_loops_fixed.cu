// SPDX-License-Identifier: Apache-2.0
// A sum of as many terms as each row says, one warp a row: lanes share the terms.
/* kernelpro
axis   rows = 262144
check  rows = 77
input  x : f32[rows] ~ uniform(1, 2)
input  terms : i32[rows] ~ int(0, 256)
output y : f32[rows]
work   flops = 256 * rows, bytes = 12 * rows
launch sums<<<ceil_div(rows, 8), 256>>>(x, terms, y, rows)
*/
extern "C" __global__ void sums(const float* x, const int* terms, float* y, int rows) {
  int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const float start = x[row];
  const int count = terms[row];
  float sum = 0;
  for (int k = threadIdx.x % 32; k < count; k += 32) sum += rsqrtf(start + k);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
