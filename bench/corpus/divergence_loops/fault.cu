// SPDX-License-Identifier: Apache-2.0
// Sums of as many terms as each row says. A thread for each row.
/* kernelpro
axis   rows = 262144
check  rows = 256
input  x : f32[rows] ~ normal
input  terms : i32[rows] ~ int(0, 45)
output y : f32[rows]
precision f32
work   flops = 3000 * rows
launch sums<<<rows / 256, 256>>>(x, terms, y)
*/
extern "C" __global__ void sums(const float* __restrict__ x, const int* __restrict__ terms,
                                float* __restrict__ y) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  const float value = x[row];
  const int count = terms[row] * terms[row];
  float sum = 0, at = 0;
  for (int k = 0; k < count; ++k, at += 0.0078125f) sum = fmaf(value + at, fabsf(value - at), sum);
  y[row] = sum;
}
