// SPDX-License-Identifier: Apache-2.0
// Blocks of 32 x 32.
/* kernelpro
launch matmul<<<(ceil_div(n, 32), ceil_div(m, 32)), (32, 32)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
