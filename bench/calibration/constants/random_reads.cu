// SPDX-License-Identifier: Apache-2.0
// Random 4-byte loads from 1 GiB: what DRAM delivers when lines are far apart.
/* kernelpro
axis   n = 8388608, m = 268435456
check  n = 16384, m = 65536
input  index : i32[n] ~ int(0, m - 1)
inout  table : u8[m, 4]
output y : i32[n]
launch random_reads<<<n / 256, 256>>>(index, table, y)
*/
extern "C" __global__ void random_reads(const int* index, const int* table, int* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = table[index[i]];
}
