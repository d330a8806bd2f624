// SPDX-License-Identifier: Apache-2.0
// Chains of dependent loads over 32 MiB, one warp an SM.
/* kernelpro
axis   m = 8388608
check  m = 65536
input  next : i32[m] ~ int(0, m - 1)
output y : i32[132, 32]
launch chase<<<132, 32>>>(next, y)
*/
extern "C" __global__ void chase(const int* next, int* y) {
  int at = blockIdx.x * 32 + threadIdx.x;
  for (int r = 0; r < 128; ++r) at = next[at];
  y[blockIdx.x * 32 + threadIdx.x] = at;
}
