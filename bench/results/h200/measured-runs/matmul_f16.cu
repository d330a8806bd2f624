// SPDX-License-Identifier: Apache-2.0
// Matrix product, one thread per element of c.
/* kernelpro
tune TILE_M in 32, 64
tune TILE_N in 64, 32
launch matmul<<<(ceil_div(n, TILE_N), ceil_div(m, TILE_M)), (TILE_M / 4) * (TILE_N / 4)>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

extern "C" __global__ void matmul(const __half* a, const __half* b, __half* c, int m, int n,
                                  int k) {
  constexpr int TILE_K = 32, kp_threads = (TILE_M / 4) * (TILE_N / 4);
  __shared__ __align__(16) float kp_a[2][TILE_K][TILE_M + 4];
  __shared__ __align__(16) float kp_b[2][TILE_K][TILE_N + 4];
  const int kp_row = blockIdx.y * TILE_M;
  const int kp_col = blockIdx.x * TILE_N;
  alignas(16) float kp_next_a[TILE_M * TILE_K / kp_threads];
  alignas(16) float kp_next_b[TILE_N * TILE_K / kp_threads];
  bool kp_wide_a;
  {
    const int row = kp_row;
    const int i = 0;
    kp_wide_a = kp_row + TILE_M <= m && (k) % 4 == 0 &&
        reinterpret_cast<unsigned long long>(&a[row * k + i]) % sizeof(uint2) == 0;
  }
  bool kp_wide_b;
  {
    const int col = kp_col;
    const int i = 0;
    kp_wide_b = kp_col + TILE_N <= n && (n) % 4 == 0 &&
        reinterpret_cast<unsigned long long>(&b[i * n + col]) % sizeof(uint2) == 0;
  }
  const auto kp_fetch = [&](int kp_k) {
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_M * TILE_K / kp_threads; kp_u += 4) {
      const int kp_e = threadIdx.x * 4 + kp_u * kp_threads;
      if (kp_wide_a && kp_k + TILE_K <= k) {
        alignas(16) __half kp_word[4];
        {
          constexpr int kp_c = 0;
          const int row = kp_row + kp_e / TILE_K;
          const int i = kp_k + kp_e % TILE_K + kp_c;
          *reinterpret_cast<uint2*>(kp_word) = *reinterpret_cast<const uint2*>(&a[row * k + i]);
        }
#pragma unroll
        for (int kp_c = 0; kp_c < 4; ++kp_c) kp_next_a[kp_u + kp_c] = __half2float(kp_word[kp_c]);
        continue;
      }
#pragma unroll
      for (int kp_c = 0; kp_c < 4; ++kp_c) {
        const int row = kp_row + kp_e / TILE_K;
        const int i = kp_k + kp_e % TILE_K + kp_c;
        kp_next_a[kp_u + kp_c] = 0;
        if (row < m && i < k) {
          kp_next_a[kp_u + kp_c] = __half2float(a[row * k + i]);
        }
      }
    }
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_N * TILE_K / kp_threads; kp_u += 4) {
      const int kp_e = threadIdx.x * 4 + kp_u * kp_threads;
      if (kp_wide_b && kp_k + TILE_K <= k) {
        alignas(16) __half kp_word[4];
        {
          constexpr int kp_c = 0;
          const int col = kp_col + kp_e % TILE_N + kp_c;
          const int i = kp_k + kp_e / TILE_N;
          *reinterpret_cast<uint2*>(kp_word) = *reinterpret_cast<const uint2*>(&b[i * n + col]);
        }
#pragma unroll
        for (int kp_c = 0; kp_c < 4; ++kp_c) kp_next_b[kp_u + kp_c] = __half2float(kp_word[kp_c]);
        continue;
      }
#pragma unroll
      for (int kp_c = 0; kp_c < 4; ++kp_c) {
        const int col = kp_col + kp_e % TILE_N + kp_c;
        const int i = kp_k + kp_e / TILE_N;
        kp_next_b[kp_u + kp_c] = 0;
        if (col < n && i < k) {
          kp_next_b[kp_u + kp_c] = __half2float(b[i * n + col]);
        }
      }
    }
  };
  const int kp_m = threadIdx.x / (TILE_N / 4) * 4, kp_n = threadIdx.x % (TILE_N / 4) * 4;
  float kp_sum[4][4] = {};
  alignas(16) float kp_x[2][4], kp_y[2][4];
  int kp_slab = 0;
  const auto kp_take = [&](int kp_i) {
#pragma unroll
    for (int kp_u = 0; kp_u < 4; kp_u += 4)
      *reinterpret_cast<uint4*>(&kp_x[kp_i % 2][kp_u]) = *reinterpret_cast<const uint4*>(
          &kp_a[kp_slab][kp_i][kp_m + kp_u * (TILE_M / 4)]);
#pragma unroll
    for (int kp_u = 0; kp_u < 4; kp_u += 4)
      *reinterpret_cast<uint4*>(&kp_y[kp_i % 2][kp_u]) = *reinterpret_cast<const uint4*>(
          &kp_b[kp_slab][kp_i][kp_n + kp_u * (TILE_N / 4)]);
  };
  kp_fetch(0);
  for (int kp_k = 0; kp_k < k; kp_k += TILE_K) {
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_M * TILE_K / kp_threads; ++kp_u) {
      const int kp_e = threadIdx.x * 4 + kp_u / 4 * 4 * kp_threads + kp_u % 4;
      kp_a[kp_slab][kp_e % TILE_K][kp_e / TILE_K] = kp_next_a[kp_u];
    }
#pragma unroll
    for (int kp_u = 0; kp_u < TILE_N * TILE_K / kp_threads; kp_u += 4) {
      const int kp_e = threadIdx.x * 4 + kp_u * kp_threads;
      *reinterpret_cast<uint4*>(&kp_b[kp_slab][kp_e / TILE_N][kp_e % TILE_N]) =
          *reinterpret_cast<const uint4*>(kp_next_b + kp_u);
    }
    __syncthreads();
    if (kp_k + TILE_K < k) kp_fetch(kp_k + TILE_K);
    kp_take(0);
#pragma unroll
    for (int kp_i = 0; kp_i < TILE_K; ++kp_i) {
      if (kp_i + 1 < TILE_K) kp_take(kp_i + 1);
#pragma unroll
      for (int kp_u = 0; kp_u < 4; ++kp_u)
#pragma unroll
        for (int kp_v = 0; kp_v < 4; ++kp_v)
          kp_sum[kp_u][kp_v] += kp_x[kp_i % 2][kp_u] * kp_y[kp_i % 2][kp_v];
    }
    // The other slab: one barrier is enough.
    kp_slab ^= 1;
  }
#pragma unroll
  for (int kp_u = 0; kp_u < 4; ++kp_u) {
#pragma unroll
    for (int kp_v = 0; kp_v < 4; ++kp_v) {
      const int row = kp_row + kp_m + kp_u / 4 * 4 * (TILE_M / 4) + kp_u % 4;
      const int col = kp_col + kp_n + kp_v / 4 * 4 * (TILE_N / 4) + kp_v % 4;
      if (row < m && col < n) {
        float sum = kp_sum[kp_u][kp_v];
        c[row * n + col] = __float2half(sum);
      }
    }
  }
}
