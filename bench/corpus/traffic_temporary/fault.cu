// SPDX-License-Identifier: Apache-2.0
// A product, its clamp and a residual. Two kernels with an array between them.
/* kernelpro
axis   n = 33554432
check  n = 8192
input  x : f32[n] ~ normal
input  gate : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 4 * n
buffer product : f32[n]
launch multiply<<<n / 1024, 256>>>(x, gate, product)
launch clamp<<<n / 1024, 256>>>(product, y)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

__device__ float clamped(float v) { return fminf(fmaxf(v, -1.0f), 1.0f) + 0.1f * v; }

extern "C" __global__ void multiply(const float* __restrict__ x, const float* __restrict__ gate,
                                    float* __restrict__ product) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = at(x, i), b = at(gate, i);
  reinterpret_cast<float4*>(product)[i] = make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}
extern "C" __global__ void clamp(const float* __restrict__ product, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = at(product, i);
  reinterpret_cast<float4*>(y)[i] =
      make_float4(clamped(a.x), clamped(a.y), clamped(a.z), clamped(a.w));
}
