// SPDX-License-Identifier: Apache-2.0
// A copy, four floats a thread.
/* kernelpro
axis   n = 67108864
check  n = 4096
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 0, bytes = 8 * n
launch copy<<<n / 1024, 256>>>(x, y)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

extern "C" __global__ void copy(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  reinterpret_cast<float4*>(y)[i] = at(x, i);
}
