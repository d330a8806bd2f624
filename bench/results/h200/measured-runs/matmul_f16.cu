// SPDX-License-Identifier: Apache-2.0
// Matrix product, one thread per element of c.
/* kernelpro
tune TILE_M in 128, 64
tune TILE_N in 64, 128
launch matmul<<<(ceil_div(n, TILE_N), ceil_div(m, TILE_M)), ((TILE_M / 64) * (TILE_N / 32)) * 32>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

#include <mma.h>

extern "C" __global__ void matmul(const __half* a, const __half* b, __half* c, int m, int n,
                                  int k) {
  constexpr int TILE_K = 32, kp_threads = ((TILE_M / 64) * (TILE_N / 32)) * 32;
  constexpr int kp_warp_m = 64, kp_warp_n = 32;  // outputs of a warp
  __shared__ __align__(32) __half kp_a[2][TILE_M][TILE_K + 8];
  __shared__ __align__(32) __half kp_b[2][TILE_K][TILE_N + 8];
  __shared__ __align__(32) float kp_out[kp_threads / 32][16][16 + 4];
  const int kp_row = blockIdx.y * TILE_M;
  const int kp_col = blockIdx.x * TILE_N;
  alignas(16) __half kp_next_a[TILE_M * TILE_K / kp_threads];
  alignas(16) __half kp_next_b[TILE_N * TILE_K / kp_threads];
  bool kp_wide_a;
  {
    const int row = kp_row;
    const int i = 0;
    kp_wide_a = kp_row + TILE_M <= m && (k) % 8 == 0 &&
        reinterpret_cast<unsigned long long>(&a[row * k + i]) % sizeof(uint4) == 0;
  }
  bool kp_wide_b;
  {
    const int col = kp_col;
    const int i = 0;
    kp_wide_b = kp_col + TILE_N <= n && (n) % 8 == 0 &&
        reinterpret_cast<unsigned long long>(&b[i * n + col]) % sizeof(uint4) == 0;
  }
  const auto kp_fetch = [&](int kp_k) {
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_M * TILE_K / kp_threads; kp_u += 8) {
      const int kp_e = threadIdx.x * 8 + kp_u * kp_threads;
      if (kp_wide_a && kp_k + TILE_K <= k) {
        alignas(16) __half kp_word[8];
        {
          constexpr int kp_c = 0;
          const int row = kp_row + kp_e / TILE_K;
          const int i = kp_k + kp_e % TILE_K + kp_c;
          *reinterpret_cast<uint4*>(kp_word) = *reinterpret_cast<const uint4*>(&a[row * k + i]);
        }
#pragma unroll
        for (int kp_c = 0; kp_c < 8; ++kp_c) kp_next_a[kp_u + kp_c] = kp_word[kp_c];
        continue;
      }
#pragma unroll
      for (int kp_c = 0; kp_c < 8; ++kp_c) {
        const int row = kp_row + kp_e / TILE_K;
        const int i = kp_k + kp_e % TILE_K + kp_c;
        kp_next_a[kp_u + kp_c] = __half(0.0f);
        if (row < m && i < k) {
          kp_next_a[kp_u + kp_c] = a[row * k + i];
        }
      }
    }
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_N * TILE_K / kp_threads; kp_u += 8) {
      const int kp_e = threadIdx.x * 8 + kp_u * kp_threads;
      if (kp_wide_b && kp_k + TILE_K <= k) {
        alignas(16) __half kp_word[8];
        {
          constexpr int kp_c = 0;
          const int col = kp_col + kp_e % TILE_N + kp_c;
          const int i = kp_k + kp_e / TILE_N;
          *reinterpret_cast<uint4*>(kp_word) = *reinterpret_cast<const uint4*>(&b[i * n + col]);
        }
#pragma unroll
        for (int kp_c = 0; kp_c < 8; ++kp_c) kp_next_b[kp_u + kp_c] = kp_word[kp_c];
        continue;
      }
#pragma unroll
      for (int kp_c = 0; kp_c < 8; ++kp_c) {
        const int col = kp_col + kp_e % TILE_N + kp_c;
        const int i = kp_k + kp_e / TILE_N;
        kp_next_b[kp_u + kp_c] = __half(0.0f);
        if (col < n && i < k) {
          kp_next_b[kp_u + kp_c] = b[i * n + col];
        }
      }
    }
  };
  const int kp_warp = threadIdx.x / 32;
  const int kp_m = kp_warp / (TILE_N / kp_warp_n) * kp_warp_m, kp_n = kp_warp % (TILE_N / kp_warp_n) * kp_warp_n;
  namespace wmma = nvcuda::wmma;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> kp_x[kp_warp_m / 16];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> kp_y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> kp_sum[kp_warp_m / 16][kp_warp_n / 16];
#pragma unroll
  for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
#pragma unroll
    for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) wmma::fill_fragment(kp_sum[kp_u][kp_v], 0.0f);
  int kp_slab = 0;
  kp_fetch(0);
  for (int kp_k = 0; kp_k < k; kp_k += TILE_K) {
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_M * TILE_K / kp_threads; kp_u += 8) {
      const int kp_e = threadIdx.x * 8 + kp_u * kp_threads;
      *reinterpret_cast<uint4*>(&kp_a[kp_slab][kp_e / TILE_K][kp_e % TILE_K]) =
          *reinterpret_cast<const uint4*>(kp_next_a + kp_u);
    }
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_N * TILE_K / kp_threads; kp_u += 8) {
      const int kp_e = threadIdx.x * 8 + kp_u * kp_threads;
      *reinterpret_cast<uint4*>(&kp_b[kp_slab][kp_e / TILE_N][kp_e % TILE_N]) =
          *reinterpret_cast<const uint4*>(kp_next_b + kp_u);
    }
    __syncthreads();
    if (kp_k + TILE_K < k) kp_fetch(kp_k + TILE_K);
#pragma unroll
    for (int kp_i = 0; kp_i < TILE_K; kp_i += 16) {
#pragma unroll
      for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
        wmma::load_matrix_sync(kp_x[kp_u], &kp_a[kp_slab][kp_m + kp_u * 16][kp_i], TILE_K + 8);
#pragma unroll
      for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) {
        wmma::load_matrix_sync(kp_y, &kp_b[kp_slab][kp_i][kp_n + kp_v * 16], TILE_N + 8);
#pragma unroll
        for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
          wmma::mma_sync(kp_sum[kp_u][kp_v], kp_x[kp_u], kp_y, kp_sum[kp_u][kp_v]);
      }
    }
    // The other slab: one barrier is enough.
    kp_slab ^= 1;
  }
#pragma unroll
  for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u) {
#pragma unroll
    for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) {
      wmma::store_matrix_sync(&kp_out[kp_warp][0][0], kp_sum[kp_u][kp_v], 16 + 4, wmma::mem_row_major);
      __syncwarp();
#pragma unroll 4
      for (int kp_e = threadIdx.x % 32; kp_e < 16 * 16; kp_e += 32) {
        const int row = kp_row + kp_m + kp_u * 16 + kp_e / 16;
        const int col = kp_col + kp_n + kp_v * 16 + kp_e % 16;
        if (row < m && col < n) {
          float sum = kp_out[kp_warp][kp_e / 16][kp_e % 16];
          c[row * n + col] = __float2half(sum);
        }
      }
      __syncwarp();
    }
  }
}
