// SPDX-License-Identifier: Apache-2.0
// A matrix product through 32 x 32 tiles.
/* kernelpro
axis   m = 1024, n = 1024, k = 256
check  m = 256, n = 256, k = 256
input  a : f32[m, k]
input  b : f32[k, n]
output c : f32[m, n]
launch matmul_tile32<<<(n / 32, m / 32), (32, 32)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul_tile32(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[32][32], tb[32][32];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int step = 0; step < k; step += 32) {
    ta[y][x] = a[row * k + step + x];
    tb[y][x] = b[(step + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
