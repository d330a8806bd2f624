// SPDX-License-Identifier: Apache-2.0
// Dependent loads of eight warps an SM over 4 MiB.
/* kernelpro
axis   m = 1048576
check  m = 65536
input  next : i32[m] ~ int(0, m - 1)
output y : i32[132, 256]
launch chase_warps<<<132, 256>>>(next, y)
*/
extern "C" __global__ void chase_warps(const int* next, int* y) {
  int at = threadIdx.x + blockIdx.x * 256;
  for (int r = 0; r < 256; ++r) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
