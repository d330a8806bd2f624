// SPDX-License-Identifier: Apache-2.0
// A compensated sum for each element. Four sums for each thread.
/* kernelpro
axis   n = 16896, terms = 4096
check  n = 256, terms = 512
input  x : f32[n] ~ normal
input  w : f32[terms] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n * terms
launch moments<<<n / 128, 128>>>(x, w, y, terms)
*/
extern "C" __global__ void moments(const float* __restrict__ x, const float* __restrict__ w,
                                   float* __restrict__ y, int terms) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float value = x[i];
  float sum[4] = {}, lost[4] = {};
#pragma unroll 2
  for (int k = 0; k < terms; k += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float term = fmaf(w[k + j], value, -lost[j]), next = sum[j] + term;
      lost[j] = (next - sum[j]) - term;
      sum[j] = next;
    }
  }
  y[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
