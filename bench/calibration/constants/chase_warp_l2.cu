// SPDX-License-Identifier: Apache-2.0
// Dependent loads of a whole warp over 4 MiB, which end up in the L2.
/* kernelpro
axis   m = 1048576
check  m = 65536
input  next : i32[m] ~ int(0, m - 1)
output y : i32[132, 32]
launch chase_warp_l2<<<132, 32>>>(next, y)
*/
extern "C" __global__ void chase_warp_l2(const int* next, int* y) {
  int at = threadIdx.x + blockIdx.x * 32;
  for (int r = 0; r < 256; ++r) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
