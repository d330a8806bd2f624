// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64 on tensor cores.
/* kernelpro
launch matmul<<<(ceil_div(n, 64), ceil_div(m, 64)), 128>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void matmul(const __half* a, const __half* b, __half* c, int m, int n,
                                  int k) {
  __shared__ __align__(32) __half tile_a[64][48], tile_b[32][80];
  __shared__ __align__(32) float result[64][68];
  const int first_row = blockIdx.y * 64, first_col = blockIdx.x * 64, warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (auto& part : sum) wmma::fill_fragment(part, 0.0f);
  for (int start = 0; start < k; start += 32) {
#pragma unroll 4
    for (int at = threadIdx.x; at < 2048; at += 128) {
      const int row = first_row + at / 32, i = start + at % 32;
      tile_a[at / 32][at % 32] = row < m && i < k ? a[row * k + i] : __float2half(0.0f);
      const int depth = start + at / 64, col = first_col + at % 64;
      tile_b[at / 64][at % 64] = depth < k && col < n ? b[depth * n + col] : __float2half(0.0f);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &tile_a[warp * 16][i], 48);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &tile_b[i][q * 16], 80);
        wmma::mma_sync(sum[q], left, right, sum[q]);
      }
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q)
    wmma::store_matrix_sync(&result[warp * 16][q * 16], sum[q], 68, wmma::mem_row_major);
  __syncthreads();
  for (int at = threadIdx.x; at < 4096; at += 128) {
    const int row = first_row + at / 64, col = first_col + at % 64;
    if (row < m && col < n) c[row * n + col] = __float2half(result[at / 64][at % 64]);
  }
}
