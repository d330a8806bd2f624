// SPDX-License-Identifier: Apache-2.0
// Sums of products of all pairs of six values that grow. As many blocks as fit.
/* kernelpro
axis   rows = 524288
check  rows = 512
input  x : f32[6, rows] ~ normal
output y : f32[36, rows]
precision f32
work   flops = 5376 * rows
launch moments<<<rows / 256, 256>>>(x, y, rows)
*/
extern "C" __global__ void __launch_bounds__(256)
    moments(const float* __restrict__ x, float* __restrict__ y, int rows) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  float base[6], sum[36] = {};
#pragma unroll
  for (int k = 0; k < 6; ++k) base[k] = x[(size_t)k * rows + row];
#pragma unroll 1
  for (int t = 0; t < 64; ++t) {
    float v[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) v[k] = fmaf(base[k], 0.125f * t, k);
#pragma unroll
    for (int k = 0; k < 36; ++k) sum[k] = fmaf(v[k / 6], v[k % 6], sum[k]);
  }
#pragma unroll
  for (int k = 0; k < 36; ++k) y[(size_t)k * rows + row] = sum[k];
}
