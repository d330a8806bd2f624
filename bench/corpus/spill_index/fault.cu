// SPDX-License-Identifier: Apache-2.0
// How often each nibble occurs in a row. The counts are a local array.
/* kernelpro
axis   rows = 524288
check  rows = 512
input  x : u32[16, rows] ~ int(0, 4294967295)
output y : i32[16, rows]
work   flops = 0
launch nibbles<<<rows / 256, 256>>>(x, y, rows)
*/
extern "C" __global__ void nibbles(const unsigned* __restrict__ x, int* __restrict__ y, int rows) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  int counts[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) counts[k] = 0;
#pragma unroll 4
  for (int t = 0; t < 16; ++t) {
    const unsigned word = x[(size_t)t * rows + row];
#pragma unroll
    for (int k = 0; k < 8; ++k) ++counts[word >> 4 * k & 15];
  }
#pragma unroll
  for (int k = 0; k < 16; ++k) y[(size_t)k * rows + row] = counts[k];
}
