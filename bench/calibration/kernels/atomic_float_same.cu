// SPDX-License-Identifier: Apache-2.0
// A sum of floats, all on one address.
/* kernelpro
axis   n = 262144
check  n = 16384
input  x : f32[n]
inout  sum : f32[1] ~ uniform(0, 1)
launch atomic_float_same<<<n / 256, 256>>>(x, sum)
*/
extern "C" __global__ void atomic_float_same(const float* x, float* sum) {
  atomicAdd(sum, x[blockIdx.x * 256 + threadIdx.x]);
}
