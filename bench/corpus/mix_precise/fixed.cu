// SPDX-License-Identifier: Apache-2.0
// Three steps of a growth rate. Fast functions.
/* kernelpro
axis   n = 16777216
check  n = 8192
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 15 * n
launch rates<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void rates(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int k = 0; k < 3; ++k) v = __fdividef(__powf(fabsf(v) + 0.5f, 0.7f), 1.0f + v * v);
  y[i] = v;
}
