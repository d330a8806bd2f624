// SPDX-License-Identifier: Apache-2.0
// A product of half-precision matrices. FP32 lanes.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 128, n = 256, k = 64
input  a : f16[m, k] ~ normal
input  b : f16[k, n] ~ normal
output c : f32[m, n]
precision f16
work   flops = 2 * m * n * k, contraction
launch product<<<(n / 128, m / 128), 256>>>(a, b, c, n, k)
*/
#include <cuda_fp16.h>

#define STEP 16

// The same tile on the FP32 lanes, 8 x 8 outputs a thread.
__device__ void on_lanes(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(16) float tile_a[STEP][132], tile_b[STEP][128];
  const int row = blockIdx.y * 128, col = blockIdx.x * 128;
  const int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
  float sum[8][8] = {};
  for (int start = 0; start < k; start += STEP) {
    for (int j = 0; j < STEP / 2; ++j) {
      const int at = j * 256 + threadIdx.x;
      tile_a[at % STEP][at / STEP] =
          __half2float(a[(size_t)(row + at / STEP) * k + start + at % STEP]);
      tile_b[at / 128][at % 128] = __half2float(b[(size_t)(start + at / 128) * n + col + at % 128]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STEP; ++i) {
      const float4 u = *reinterpret_cast<const float4*>(&tile_a[i][ty]);
      const float4 v = *reinterpret_cast<const float4*>(&tile_a[i][ty + 64]);
      const float4 p = *reinterpret_cast<const float4*>(&tile_b[i][tx]);
      const float4 q = *reinterpret_cast<const float4*>(&tile_b[i][tx + 64]);
      const float left[8] = {u.x, u.y, u.z, u.w, v.x, v.y, v.z, v.w};
      const float right[8] = {p.x, p.y, p.z, p.w, q.x, q.y, q.z, q.w};
#pragma unroll
      for (int s = 0; s < 64; ++s)
        sum[s / 8][s % 8] = fmaf(left[s / 8], right[s % 8], sum[s / 8][s % 8]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int s = 0; s < 64; ++s)
    c[(size_t)(row + ty + s / 32 * 64 + s / 8 % 4) * n + col + tx + s % 8 / 4 * 64 + s % 4] =
        sum[s / 8][s % 8];
}

extern "C" __global__ void __launch_bounds__(256)
    product(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int n,
            int k) {
  on_lanes(a, b, c, n, k);
}
