// SPDX-License-Identifier: Apache-2.0
// A short filter: each thread takes its window from the signal itself.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  x : f32[n + 8] ~ normal
input  tap : f32[8] ~ normal
output y : f32[n]
precision f32
work   flops = 16 * n
launch filter<<<n / 256, 256>>>(x, tap, y)
*/
extern "C" __global__ void filter(const float* __restrict__ x, const float* __restrict__ tap,
                                  float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float dot = 0.f;
  for (int k = 0; k < 8; ++k) dot += tap[k] * x[i + k];
  y[i] = dot;
}
