// SPDX-License-Identifier: Apache-2.0
// Sums of as many terms as each row says. A warp for each row.
/* kernelpro
axis   rows = 262144
check  rows = 256
input  x : f32[rows] ~ normal
input  terms : i32[rows] ~ int(0, 45)
output y : f32[rows]
precision f32
work   flops = 3000 * rows
launch sums<<<rows / 8, 256>>>(x, terms, y)
*/
extern "C" __global__ void sums(const float* __restrict__ x, const int* __restrict__ terms,
                                float* __restrict__ y) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float value = x[row];
  const int count = terms[row] * terms[row];
  float sum = 0, at = lane * 0.0078125f;
  for (int k = lane; k < count; k += 32, at += 0.25f)
    sum = fmaf(value + at, fabsf(value - at), sum);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}
