// SPDX-License-Identifier: Apache-2.0
// The 24 largest of each row of 128 in order, in an array whose index the compiler does not know.
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
  for (int j = 0; j < 24; ++j) best[j] = -3.0e38f;
  for (int i = 0; i < 128; ++i) {
    const float value = x[i * rows + row];
    int at = 24;
    while (at > 0 && best[at - 1] < value) --at;
    for (int j = 23; j > at; --j) best[j] = best[j - 1];
    if (at < 24) best[at] = value;
  }
  for (int j = 0; j < 24; ++j) out[j * rows + row] = best[j];
}
