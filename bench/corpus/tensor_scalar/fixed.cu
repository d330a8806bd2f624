// SPDX-License-Identifier: Apache-2.0
// A product of half-precision matrices. Tensor cores.
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
#include <mma.h>

using namespace nvcuda;

#define PITCH 40

// A tile of 128 x 128 by eight warps, 32 x 64 each; the next tiles of k are loaded meanwhile.
__device__ void on_tensor_cores(const half* a, const half* b, float* c, int n, int k) {
  __shared__ __align__(16) half tile_a[2][128][PITCH], tile_b[2][32][136];
  const int row = blockIdx.y * 128, col = blockIdx.x * 128, warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
  for (auto& line : sum)
    for (auto& part : line) wmma::fill_fragment(part, 0.0f);
  uint4 next_a[2], next_b[2];
  auto load = [&](int start) {
    for (int j = 0; j < 2; ++j) {
      const int at = j * 256 + threadIdx.x;
      next_a[j] =
          *reinterpret_cast<const uint4*>(a + (size_t)(row + at / 4) * k + start + at % 4 * 8);
      next_b[j] =
          *reinterpret_cast<const uint4*>(b + (size_t)(start + at / 16) * n + col + at % 16 * 8);
    }
  };
  auto store = [&](int stage) {
    for (int j = 0; j < 2; ++j) {
      const int at = j * 256 + threadIdx.x;
      *reinterpret_cast<uint4*>(&tile_a[stage][at / 4][at % 4 * 8]) = next_a[j];
      *reinterpret_cast<uint4*>(&tile_b[stage][at / 16][at % 16 * 8]) = next_b[j];
    }
  };
  load(0);
  store(0);
  __syncthreads();
  for (int start = 0, stage = 0; start < k; start += 32, stage ^= 1) {
    if (start + 32 < k) load(start + 32);
    for (int i = 0; i < 32; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[4];
      for (int p = 0; p < 2; ++p)
        wmma::load_matrix_sync(left[p], &tile_a[stage][warp / 2 * 32 + p * 16][i], PITCH);
      for (int q = 0; q < 4; ++q)
        wmma::load_matrix_sync(right[q], &tile_b[stage][i][warp % 2 * 64 + q * 16], 136);
      for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 4; ++q) wmma::mma_sync(sum[p][q], left[p], right[q], sum[p][q]);
    }
    if (start + 32 < k) store(stage ^ 1);
    __syncthreads();
  }
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 4; ++q)
      wmma::store_matrix_sync(
          c + (size_t)(row + warp / 2 * 32 + p * 16) * n + col + warp % 2 * 64 + q * 16, sum[p][q],
          n, wmma::mem_row_major);
}

extern "C" __global__ void __launch_bounds__(256)
    product(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int n,
            int k) {
  on_tensor_cores(a, b, c, n, k);
}
