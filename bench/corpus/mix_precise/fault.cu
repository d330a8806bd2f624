// SPDX-License-Identifier: Apache-2.0
// A few steps of a logistic map. Exact functions.
/* kernelpro
axis   n = 16777216
check  n = 8192
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 64 * n
launch logistic<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void logistic(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) v = 2.0f / (1.0f + expf(-v)) - 0.75f;
  y[i] = v;
}
