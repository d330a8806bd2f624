// SPDX-License-Identifier: Apache-2.0
// The same with constant indices: the new value sinks through 24 registers.
/* kernelpro
axis   rows = 262144
check  rows = 331
input  x : f32[128, rows] ~ normal
output out : f32[24, rows]
precision f32
work   flops = 128 * rows
launch top<<<ceil_div(rows, 256), 256>>>(x, out, rows)
*/
extern "C" __global__ void top(const float* __restrict__ x, float* __restrict__ out, int rows) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  if (row >= rows) return;
  float best[24];
#pragma unroll
  for (int j = 0; j < 24; ++j) best[j] = -3.0e38f;
  for (int i = 0; i < 128; ++i) {
    float value = x[i * rows + row];
#pragma unroll
    for (int j = 0; j < 24; ++j) {
      const float larger = fmaxf(best[j], value);
      value = fminf(best[j], value);
      best[j] = larger;
    }
  }
#pragma unroll
  for (int j = 0; j < 24; ++j) out[j * rows + row] = best[j];
}
