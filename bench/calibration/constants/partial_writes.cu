// SPDX-License-Identifier: Apache-2.0
// Stores of 4 bytes to sectors of 4 MiB that the L2 holds, each lane its own line.
/* kernelpro
axis   n = 16777216, m = 1048576
check  n = 16384, m = 65536
inout  table : i32[m] ~ int(0, 1)
launch partial_writes<<<n / 256, 256>>>(table)
*/
extern "C" __global__ void partial_writes(int* table) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  table[(i % 1024) * 1024 + i / 1024 % 1024] = i;
}
