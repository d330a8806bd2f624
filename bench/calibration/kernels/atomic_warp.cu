// SPDX-License-Identifier: Apache-2.0
// A sum of floats, one atomic a warp.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  x : f32[n]
inout  sum : f32[1] ~ uniform(0, 1)
launch atomic_warp<<<n / 256, 256>>>(x, sum)
*/
extern "C" __global__ void atomic_warp(const float* x, float* sum) {
  float v = x[blockIdx.x * 256 + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(~0u, v, step);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}
