// SPDX-License-Identifier: Apache-2.0
// The length of each record. A thread reads its record field by field.
/* kernelpro
axis   n = 1048576
check  n = 384
input  x : f32[n, 24] ~ normal
output y : f32[n]
precision f32
work   flops = 48 * n
launch lengths<<<ceil_div(n, 128), 128>>>(x, y, n)
*/
extern "C" __global__ void lengths(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k) sum = fmaf(x[(size_t)i * 24 + k], x[(size_t)i * 24 + k], sum);
  y[i] = sqrtf(sum);
}
