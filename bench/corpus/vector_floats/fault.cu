// SPDX-License-Identifier: Apache-2.0
// Squares that keep their sign. A thread for each float.
/* kernelpro
axis   n = 33554432
check  n = 4096
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = n
launch squares<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void squares(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = x[i] * fabsf(x[i]);
}
