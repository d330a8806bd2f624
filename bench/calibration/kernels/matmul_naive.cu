// SPDX-License-Identifier: Apache-2.0
// A matrix product, one element a thread.
/* kernelpro
axis   m = 512, n = 512, k = 512
check  m = 256, n = 256, k = 256
input  a : f32[m, k]
input  b : f32[k, n]
output c : f32[m, n]
launch matmul_naive<<<(n / 16, m / 16), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
