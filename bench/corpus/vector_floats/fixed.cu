// SPDX-License-Identifier: Apache-2.0
// Squares that keep their sign. A thread for four floats.
/* kernelpro
axis   n = 33554432
check  n = 4096
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = n
launch squares<<<n / 1024, 256>>>(x, y)
*/
extern "C" __global__ void squares(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 v = reinterpret_cast<const float4*>(x)[i];
  reinterpret_cast<float4*>(y)[i] =
      make_float4(v.x * fabsf(v.x), v.y * fabsf(v.y), v.z * fabsf(v.z), v.w * fabsf(v.w));
}
