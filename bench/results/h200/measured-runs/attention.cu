// SPDX-License-Identifier: Apache-2.0
// Causal attention, one thread per query row: one pass over the keys with a running softmax.
/* kernelpro
tune LANES in 32, 16, 8, 4
launch attention<<<ceil_div(rows * LANES, 128), 128>>>(q, k, v, out, rows)
*/
#include <cuda_fp16.h>
#include <math_constants.h>

#define DIM 64

/// Over the LANES lanes of a group; each gets the result.
static __device__ __forceinline__ float kp_group_add_float(float value) {
  const unsigned lanes = 0xffffffffu >> (32 - LANES) << threadIdx.x % 32 / LANES * LANES;
  for (int offset = LANES / 2; offset > 0; offset /= 2) {
    value = value + __shfl_xor_sync(lanes, value, offset);
  }
  return value;
}

extern "C" __global__ void attention(const __half* q, const __half* k, const __half* v, __half* out,
                                     int rows) {
  const int kp_lane = threadIdx.x % LANES;
  const int kp_own = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  // Threads without a row of their own help to load and store nothing.
  const bool kp_inside = kp_own < (rows);
  const int row = kp_inside ? kp_own : (rows) - 1;
  float query[DIM / LANES], mean[DIM / LANES];
  // Lanes of the group take turns.
#pragma unroll
  for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
    const int d = kp_turn * LANES + kp_lane;
    query[kp_turn] = __half2float(q[row * DIM + d]) * rsqrtf(DIM);
    mean[kp_turn] = 0.0f;
  }
  float largest = -CUDART_INF_F, sum = 0.0f;
  // Rows that all threads of the block need are loaded once for all of them.
  __shared__ __align__(16) __half kp_rows_k[64][64];
  __shared__ __align__(16) __half kp_rows_v_1[64][64];
  __shared__ int kp_end;  // of the block
  if (threadIdx.x == 0) kp_end = 0;
  __syncthreads();
  atomicMax(&kp_end, (row) + 1);
  __syncthreads();
  for (int kp_first = 0; kp_first < kp_end; kp_first += 64) {
    __syncthreads();
    for (int kp_e = threadIdx.x * 8; kp_e < 64 * 64; kp_e += blockDim.x * 8) {
      const int j = kp_first + kp_e / 64, d = kp_e % 64;
      if (j >= kp_end) break;
      const __half* kp_from = &k[j * DIM + d];
      __half* kp_to = &kp_rows_k[kp_e / 64][d];
      if (reinterpret_cast<unsigned long long>(kp_from) % 16 == 0) {
        *reinterpret_cast<uint4*>(kp_to) = *reinterpret_cast<const uint4*>(kp_from);
      } else {
        for (int kp_c = 0; kp_c < 8; ++kp_c) kp_to[kp_c] = kp_from[kp_c];
      }
    }
    for (int kp_e = threadIdx.x * 8; kp_e < 64 * 64; kp_e += blockDim.x * 8) {
      const int j = kp_first + kp_e / 64, d = kp_e % 64;
      if (j >= kp_end) break;
      const __half* kp_from = &v[j * DIM + d];
      __half* kp_to = &kp_rows_v_1[kp_e / 64][d];
      if (reinterpret_cast<unsigned long long>(kp_from) % 16 == 0) {
        *reinterpret_cast<uint4*>(kp_to) = *reinterpret_cast<const uint4*>(kp_from);
      } else {
        for (int kp_c = 0; kp_c < 8; ++kp_c) kp_to[kp_c] = kp_from[kp_c];
      }
    }
    __syncthreads();
    for (int j = kp_first; j < (row) + 1 && j < kp_first + 64; ++j) {
    float score = 0.0f;
    if (kp_lane != 0) score = 0;
    // Lanes of the group take turns.
#pragma unroll
    for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
      const int d = kp_turn * LANES + kp_lane;
      score += query[kp_turn] * __half2float(kp_rows_k[j - kp_first][d]);
    }
    score = kp_group_add_float(score);
    float now = fmaxf(largest, score);
    float keep = expf(largest - now), weight = expf(score - now);
    sum = sum * keep + weight;
    // Lanes of the group take turns.
#pragma unroll
    for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
      const int d = kp_turn * LANES + kp_lane;
      mean[kp_turn] = mean[kp_turn] * keep + weight * __half2float(kp_rows_v_1[j - kp_first][d]);
    }
    largest = now;
  }
  }
  // Lanes of the group take turns.
#pragma unroll
  for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
    const int d = kp_turn * LANES + kp_lane;
    { if (kp_inside) out[row * DIM + d] = __float2half(mean[kp_turn] / sum); }
  }
}
