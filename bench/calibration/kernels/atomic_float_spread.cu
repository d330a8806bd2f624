// SPDX-License-Identifier: Apache-2.0
// A float atomic for each thread, side by side.
/* kernelpro
axis   n = 4194304, m = 1048576
check  n = 16384, m = 65536
input  x : f32[n]
inout  sums : f32[m] ~ uniform(0, 1)
launch atomic_float_spread<<<n / 256, 256>>>(x, sums, m)
*/
extern "C" __global__ void atomic_float_spread(const float* x, float* sums, int m) {
  int i = blockIdx.x * 256 + threadIdx.x;
  atomicAdd(&sums[i % m], x[i]);
}
