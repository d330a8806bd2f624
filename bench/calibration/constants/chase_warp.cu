// SPDX-License-Identifier: Apache-2.0
// Dependent loads of a whole warp over 128 MiB.
/* kernelpro
axis   m = 33554432
check  m = 65536
input  next : i32[m] ~ int(0, m - 1)
output y : i32[1, 32]
launch chase_warp<<<1, 32>>>(next, y)
*/
extern "C" __global__ void chase_warp(const int* next, int* y) {
  int at = threadIdx.x;
  for (int r = 0; r < 256; ++r) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
