// SPDX-License-Identifier: Apache-2.0
// A product, its clamp and a residual. One kernel.
/* kernelpro
axis   n = 33554432
check  n = 8192
input  x : f32[n] ~ normal
input  gate : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 4 * n
launch multiply_clamp<<<n / 1024, 256>>>(x, gate, y)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

__device__ float clamped(float v) { return fminf(fmaxf(v, -1.0f), 1.0f) + 0.1f * v; }

extern "C" __global__ void multiply_clamp(const float* __restrict__ x,
                                          const float* __restrict__ gate, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = at(x, i), b = at(gate, i);
  reinterpret_cast<float4*>(y)[i] =
      make_float4(clamped(a.x * b.x), clamped(a.y * b.y), clamped(a.z * b.z), clamped(a.w * b.w));
}
