// SPDX-License-Identifier: Apache-2.0
// A compensated sum for each element. One sum for each thread.
/* kernelpro
axis   n = 16896, terms = 8192
check  n = 256, terms = 512
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 3 * n * terms
launch moments<<<n / 128, 128>>>(x, y, terms)
*/
extern "C" __global__ void moments(const float* __restrict__ x, float* __restrict__ y, int terms) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float value = x[i];
  float sum[1] = {}, lost[1] = {}, at = 0;
#pragma unroll 8
  for (int k = 0; k < terms; k += 1, at += 1 * 0.0009765625f) {
#pragma unroll
    for (int j = 0; j < 1; ++j) {
      const float term = fmaf(at + j * 0.0009765625f, value, -lost[j]), next = sum[j] + term;
      lost[j] = (next - sum[j]) - term;
      sum[j] = next;
    }
  }
  y[i] = sum[0];
}
