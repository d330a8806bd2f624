// SPDX-License-Identifier: Apache-2.0
// A matrix product with one output a thread and every operand from global memory.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 67, n = 35, k = 131
input  a : f32[m, k] ~ normal
input  b : f32[k, n] ~ normal
output c : f32[m, n]
precision f32
work   flops = 2 * m * n * k, contraction
launch matmul<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
