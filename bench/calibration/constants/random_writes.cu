// SPDX-License-Identifier: Apache-2.0
// Random 4-byte stores to 1 GiB.
/* kernelpro
axis   n = 8388608, m = 268435456
check  n = 16384, m = 65536
input  index : i32[n] ~ int(0, m - 1)
inout  table : u8[m, 4]
launch random_writes<<<n / 256, 256>>>(index, table)
*/
extern "C" __global__ void random_writes(const int* index, int* table) {
  int i = blockIdx.x * 256 + threadIdx.x;
  table[index[i]] = i;
}
