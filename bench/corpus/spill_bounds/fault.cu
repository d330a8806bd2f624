// SPDX-License-Identifier: Apache-2.0
// Products of all pairs of six series. Eight blocks are to fit an SM.
/* kernelpro
axis   rows = 262144
check  rows = 512
input  x : f32[48, rows] ~ normal
output y : f32[36, rows]
precision f32
work   flops = 4992 * rows
launch moments<<<rows / 256, 256>>>(x, y, rows)
*/
extern "C" __global__ void __launch_bounds__(256, 8)
    moments(const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float sum[36] = {};
#pragma unroll 1
  for (int t = 0; t < 64; ++t) {
    float v[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) v[k] = x[(size_t)(t % 8 * 6 + k) * rows + row] + t;
#pragma unroll
    for (int k = 0; k < 36; ++k) sum[k] = fmaf(v[k / 6], v[k % 6], sum[k]);
  }
#pragma unroll
  for (int k = 0; k < 36; ++k) y[(size_t)k * rows + row] = sum[k];
}
