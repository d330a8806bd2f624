// SPDX-License-Identifier: Apache-2.0
// Eight harmonics. Exact functions.
/* kernelpro
axis   n = 8388608
check  n = 8192
input  x : f32[n] ~ uniform(-3, 3)
output y : f32[n]
precision f32
work   flops = 48 * n
launch wave<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void wave(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = x[i];
  float sum = 0;
#pragma unroll
  for (int k = 1; k <= 8; ++k) sum += sinf(v * (0.1f * k)) - 0.5f * cosf(v * (0.07f * k));
  y[i] = sum;
}
