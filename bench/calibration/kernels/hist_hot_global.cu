// SPDX-License-Identifier: Apache-2.0
// A histogram of four hot bins by global atomics.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : u8[n] ~ int(0, 3)
inout  bins : u32[256] ~ int(0, 0)
launch hist_hot_global<<<n / 256, 256>>>(x, bins, n)
*/
extern "C" __global__ void hist_hot_global(const unsigned char* x, unsigned* bins, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
