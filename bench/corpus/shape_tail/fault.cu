// SPDX-License-Identifier: Apache-2.0
// The sum of distances of each element to 4096 points. A thread for each element, one block more
// than fit.
/* kernelpro
axis   n = 271360
check  n = 2048
input  x : f32[n] ~ uniform(1, 2)
output y : f32[n]
precision f32
work   flops = 8192 * n
launch distances<<<n / 1024, 1024>>>(x, y)
*/
extern "C" __global__ void distances(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const float value = x[i];
  float sum[4] = {}, at = 0;
#pragma unroll 8
  for (int k = 0; k < 1024; ++k, at += 0.00390625f) {
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[j] += fabsf(value - (at + 0.0009765625f * j));
  }
  y[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
