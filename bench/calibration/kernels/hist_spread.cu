// SPDX-License-Identifier: Apache-2.0
// A histogram of a million bins.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  x : i32[n] ~ int(0, 1048575)
inout  bins : u32[1048576] ~ int(0, 0)
launch hist_spread<<<n / 256, 256>>>(x, bins, n)
*/
extern "C" __global__ void hist_spread(const int* x, unsigned* bins, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
