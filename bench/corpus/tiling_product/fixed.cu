// SPDX-License-Identifier: Apache-2.0
// A matrix product in single precision. Tiles in shared memory and registers.
/* kernelpro
axis   m = 1024, n = 1024, k = 1024
check  m = 128, n = 64, k = 64
input  a : f32[m, k] ~ normal
input  b : f32[k, n] ~ normal
output c : f32[m, n]
precision f32
work   flops = 2 * m * n * k, contraction
launch product<<<(n / 64, m / 64), 256>>>(a, b, c, n, k)
*/
extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int n, int k) {
  __shared__ __align__(16) float tile_a[16][68], tile_b[16][64];
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  const int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
  float sum[4][4] = {};
  for (int start = 0; start < k; start += 16) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int at = j * 256 + threadIdx.x;
      tile_a[at % 16][at / 16] = a[(row + at / 16) * k + start + at % 16];
      tile_b[at / 64][at % 64] = b[(start + at / 64) * n + col + at % 64];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 u = *reinterpret_cast<const float4*>(&tile_a[i][ty]);
      const float4 v = *reinterpret_cast<const float4*>(&tile_b[i][tx]);
      const float left[4] = {u.x, u.y, u.z, u.w}, right[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int p = 0; p < 16; ++p)
        sum[p / 4][p % 4] = fmaf(left[p / 4], right[p % 4], sum[p / 4][p % 4]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    *reinterpret_cast<float4*>(&c[(row + ty + p) * n + col + tx]) =
        make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
  }
}
