// SPDX-License-Identifier: Apache-2.0
// The same kernel with as many registers as it needs.
/* kernelpro
axis   rows = 131072
check  rows = 331
input  x : f32[8, rows] ~ normal
input  w : f32[64, 48] ~ normal
output y : f32[48, rows]
precision f32
work   flops = 2 * 64 * 48 * rows
launch mix<<<ceil_div(rows, 256), 256>>>(x, w, y, rows)
*/
extern "C" __global__ void __launch_bounds__(256)
    mix(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int rows) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  if (row >= rows) return;
  float sum[48] = {};
  for (int i = 0; i < 64; ++i) {
    const float value = x[(i % 8) * rows + row] + (float)i;
#pragma unroll
    for (int j = 0; j < 48; ++j) sum[j] = fmaf(value, __ldg(&w[i * 48 + j]), sum[j]);
  }
#pragma unroll
  for (int j = 0; j < 48; ++j) y[j * rows + row] = sum[j];
}
