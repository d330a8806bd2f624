// SPDX-License-Identifier: Apache-2.0
// A scaled sum, four floats a thread.
/* kernelpro
axis   n = 33554432
check  n = 4096
input  x : f32[n] ~ normal
input  y : f32[n] ~ normal
output z : f32[n]
precision f32
work   flops = 2 * n
launch axpy<<<n / 1024, 256>>>(x, y, z)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

extern "C" __global__ void axpy(const float* __restrict__ x, const float* __restrict__ y,
                                float* __restrict__ z) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = at(x, i), b = at(y, i);
  reinterpret_cast<float4*>(z)[i] = make_float4(fmaf(1.5f, a.x, b.x), fmaf(1.5f, a.y, b.y),
                                                fmaf(1.5f, a.z, b.z), fmaf(1.5f, a.w, b.w));
}
