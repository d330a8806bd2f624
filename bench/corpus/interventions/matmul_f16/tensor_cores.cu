// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64 on tensor cores, loaded eight halves at a time where rows allow it.
/* kernelpro
launch matmul<<<(ceil_div(n, 64), ceil_div(m, 64)), 128>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// Eight elements of a row of `width`, zero outside of the matrix.
__device__ uint4 eight(const __half* x, int row, int rows, int col, int width) {
  if (row < rows && col + 8 <= width && width % 8 == 0)
    return *reinterpret_cast<const uint4*>(x + row * width + col);
  __align__(16) __half part[8];
  for (int k = 0; k < 8; ++k)
    part[k] = row < rows && col + k < width ? x[row * width + col + k] : __float2half(0.0f);
  return *reinterpret_cast<const uint4*>(part);
}

extern "C" __global__ void matmul(const __half* a, const __half* b, __half* c, int m, int n,
                                  int k) {
  __shared__ __align__(32) __half tile_a[64][72], tile_b[64][72];
  __shared__ __align__(32) float result[64][68];
  const int first_row = blockIdx.y * 64, first_col = blockIdx.x * 64, warp = threadIdx.x / 32;
  const int row = threadIdx.x / 8, col = threadIdx.x % 8 * 8;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (auto& part : sum) wmma::fill_fragment(part, 0.0f);
  uint4 next_a[4], next_b[4];
  for (int j = 0; j < 4; ++j) {
    next_a[j] = eight(a, first_row + row + j * 16, m, col, k);
    next_b[j] = eight(b, row + j * 16, k, first_col + col, n);
  }
  for (int start = 0; start < k; start += 64) {
    for (int j = 0; j < 4; ++j) {
      *reinterpret_cast<uint4*>(&tile_a[row + j * 16][col]) = next_a[j];
      *reinterpret_cast<uint4*>(&tile_b[row + j * 16][col]) = next_b[j];
    }
    __syncthreads();
    for (int j = 0; j < 4 && start + 64 < k; ++j) {
      next_a[j] = eight(a, first_row + row + j * 16, m, start + 64 + col, k);
      next_b[j] = eight(b, start + 64 + row + j * 16, k, first_col + col, n);
    }
#pragma unroll
    for (int i = 0; i < 64; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &tile_a[warp * 16][i], 72);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &tile_b[i][q * 16], 72);
        wmma::mma_sync(sum[q], left, right, sum[q]);
      }
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; ++q)
    wmma::store_matrix_sync(&result[warp * 16][q * 16], sum[q], 68, wmma::mem_row_major);
  __syncthreads();
  for (int at = threadIdx.x; at < 4096; at += 128) {
    const int i = first_row + at / 64, j = first_col + at % 64;
    if (i < m && j < n) c[i * n + j] = __float2half(result[at / 64][at % 64]);
  }
}
