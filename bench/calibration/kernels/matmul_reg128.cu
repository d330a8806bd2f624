// SPDX-License-Identifier: Apache-2.0
// A matrix product, 128 x 128 tiles, 8 x 8 elements a thread.
/* kernelpro
axis   m = 2048, n = 2048, k = 256
check  m = 256, n = 256, k = 256
input  a : f32[m, k]
input  b : f32[k, n]
output c : f32[m, n]
launch matmul_reg128<<<(n / 128, m / 128), 256>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void __launch_bounds__(256) matmul_reg128(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float ta[8][132], tb[8][128];
  int t = threadIdx.x, tx = t % 16, ty = t / 16, row = blockIdx.y * 128, col = blockIdx.x * 128;
  float sum[8][8] = {};
  for (int step = 0; step < k; step += 8) {
    float4 u = *reinterpret_cast<const float4*>(&a[(row + t / 2) * k + step + t % 2 * 4]);
    ta[t % 2 * 4][t / 2] = u.x;
    ta[t % 2 * 4 + 1][t / 2] = u.y;
    ta[t % 2 * 4 + 2][t / 2] = u.z;
    ta[t % 2 * 4 + 3][t / 2] = u.w;
    *reinterpret_cast<float4*>(&tb[t / 32][t % 32 * 4]) =
        *reinterpret_cast<const float4*>(&b[(step + t / 32) * n + col + t % 32 * 4]);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float us[8], vs[8];
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(&us[h * 4]) = *reinterpret_cast<float4*>(&ta[i][h * 64 + ty * 4]);
        *reinterpret_cast<float4*>(&vs[h * 4]) = *reinterpret_cast<float4*>(&tb[i][h * 64 + tx * 4]);
      }
      for (int r = 0; r < 8; ++r)
        for (int s = 0; s < 8; ++s) sum[r][s] += us[r] * vs[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 8; ++r)
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(&c[(row + r / 4 * 64 + ty * 4 + r % 4) * n + col + h * 64 + tx * 4]) =
          make_float4(sum[r][h * 4], sum[r][h * 4 + 1], sum[r][h * 4 + 2], sum[r][h * 4 + 3]);
}
