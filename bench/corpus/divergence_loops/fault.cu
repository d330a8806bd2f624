// SPDX-License-Identifier: Apache-2.0
// A sum of inverse roots, as many as each row says. A thread for each row.
/* kernelpro
axis   rows = 262144
check  rows = 256
input  x : f32[rows] ~ uniform(1, 2)
input  terms : i32[rows] ~ int(0, 512)
output y : f32[rows]
precision f32
work   flops = 512 * rows
launch sums<<<rows / 256, 256>>>(x, terms, y)
*/
extern "C" __global__ void sums(const float* __restrict__ x, const int* __restrict__ terms,
                                float* __restrict__ y) {
  const int row = blockIdx.x * 256 + threadIdx.x;
  const float start = fabsf(x[row]) + 1.0f;
  const int count = terms[row];
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += rsqrtf(start + k);
  y[row] = sum;
}
