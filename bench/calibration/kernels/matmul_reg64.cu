// SPDX-License-Identifier: Apache-2.0
// A matrix product, 64 x 64 tiles, 4 x 4 elements a thread.
/* kernelpro
axis   m = 1024, n = 1024, k = 512
check  m = 256, n = 256, k = 256
input  a : f32[m, k]
input  b : f32[k, n]
output c : f32[m, n]
launch matmul_reg64<<<(n / 64, m / 64), 256>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul_reg64(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[16][64], tb[16][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int step = 0; step < k; step += 16) {
    for (int i = t; i < 1024; i += 256) {
      ta[i % 16][i / 16] = a[(row + i / 16) * k + step + i % 16];
      tb[i / 64][i % 64] = b[(step + i / 64) * n + col + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      float4 u = *reinterpret_cast<float4*>(&ta[i][ty * 4]), v = *reinterpret_cast<float4*>(&tb[i][tx * 4]);
      float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
      for (int r = 0; r < 4; ++r)
        for (int s = 0; s < 4; ++s) sum[r][s] += us[r] * vs[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    for (int s = 0; s < 4; ++s) c[(row + ty * 4 + r) * n + col + tx * 4 + s] = sum[r][s];
}
