// SPDX-License-Identifier: Apache-2.0
// The sum of distances of each element to 4096 points. Eight lanes for each element.
/* kernelpro
axis   n = 271360
check  n = 2048
input  x : f32[n] ~ uniform(1, 2)
output y : f32[n]
precision f32
work   flops = 8192 * n
launch distances<<<n / 128, 1024>>>(x, y)
*/
extern "C" __global__ void distances(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 128 + threadIdx.x / 8;
  const float value = x[i];
  float sum[4] = {}, at = threadIdx.x % 8 * 0.00390625f;
#pragma unroll 8
  for (int k = 0; k < 128; ++k, at += 0.03125f) {
#pragma unroll
    for (int j = 0; j < 4; ++j) sum[j] += fabsf(value - (at + 0.0009765625f * j));
  }
  float all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (int offset = 4; offset > 0; offset /= 2) all += __shfl_xor_sync(~0u, all, offset);
  if (threadIdx.x % 8 == 0) y[i] = all;
}
