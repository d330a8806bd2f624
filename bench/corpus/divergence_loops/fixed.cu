// SPDX-License-Identifier: Apache-2.0
// A sum of inverse roots, as many as each row says. A warp for each row.
/* kernelpro
axis   rows = 262144
check  rows = 256
input  x : f32[rows] ~ uniform(1, 2)
input  terms : i32[rows] ~ int(0, 512)
output y : f32[rows]
precision f32
work   flops = 512 * rows
launch sums<<<rows / 8, 256>>>(x, terms, y)
*/
extern "C" __global__ void sums(const float* __restrict__ x, const int* __restrict__ terms,
                                float* __restrict__ y) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float start = fabsf(x[row]) + 1.0f;
  const int count = terms[row];
  float sum = 0;
  for (int k = lane; k < count; k += 32) sum += rsqrtf(start + k);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}
