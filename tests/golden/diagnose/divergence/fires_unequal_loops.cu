// SPDX-License-Identifier: Apache-2.0
// A sum of as many terms as each row says, one thread a row: lanes wait for the longest.
/* kernelpro
axis   rows = 262144
check  rows = 77
input  x : f32[rows] ~ uniform(1, 2)
input  terms : i32[rows] ~ int(0, 256)
output y : f32[rows]
work   flops = 256 * rows, bytes = 12 * rows
launch sums<<<ceil_div(rows, 256), 256>>>(x, terms, y, rows)
*/
extern "C" __global__ void sums(const float* x, const int* terms, float* y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float start = x[row];
  float sum = 0;
  for (int k = 0; k < terms[row]; ++k) sum += rsqrtf(start + k);
  y[row] = sum;
}
