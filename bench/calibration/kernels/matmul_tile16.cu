// SPDX-License-Identifier: Apache-2.0
// A matrix product through 16 x 16 tiles.
/* kernelpro
axis   m = 1024, n = 1024, k = 512
check  m = 256, n = 256, k = 256
input  a : f32[m, k]
input  b : f32[k, n]
output c : f32[m, n]
launch matmul_tile16<<<(n / 16, m / 16), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul_tile16(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[16][16], tb[16][16];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int step = 0; step < k; step += 16) {
    ta[y][x] = a[row * k + step + x];
    tb[y][x] = b[(step + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
