// SPDX-License-Identifier: Apache-2.0
// A decay. One launch.
/* kernelpro
axis   n = 16777216
check  n = 65536
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n
launch decay<<<n / 256, 256>>>(x, y, 0)
*/
extern "C" __global__ void decay(const float* __restrict__ x, float* __restrict__ y, int start) {
  const int i = start + blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i] * 0.75f + 0.125f;
}
