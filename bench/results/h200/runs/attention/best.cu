// SPDX-License-Identifier: Apache-2.0
// Causal attention, one thread per query row: one pass over the keys with a running softmax.
/* kernelpro
tune LANES in 8, 16, 32, 4
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
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  const int kp_lane = threadIdx.x % LANES;
  if (row >= rows) return;
  float query[DIM / LANES], mean[DIM / LANES];
  // Lanes of the group take turns.
#pragma unroll
  for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
    const int d = kp_turn * LANES + kp_lane;
    query[kp_turn] = __half2float(q[row * DIM + d]) * rsqrtf(DIM);
    mean[kp_turn] = 0.0f;
  }
  float largest = -CUDART_INF_F, sum = 0.0f;
  for (int j = 0; j <= row; ++j) {
    float score = 0.0f;
    if (kp_lane != 0) score = 0;
    // Lanes of the group take turns.
#pragma unroll
    for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
      const int d = kp_turn * LANES + kp_lane;
      score += query[kp_turn] * __half2float(k[j * DIM + d]);
    }
    score = kp_group_add_float(score);
    float now = fmaxf(largest, score);
    float keep = expf(largest - now), weight = expf(score - now);
    sum = sum * keep + weight;
    // Lanes of the group take turns.
#pragma unroll
    for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
      const int d = kp_turn * LANES + kp_lane;
      mean[kp_turn] = mean[kp_turn] * keep + weight * __half2float(v[j * DIM + d]);
    }
    largest = now;
  }
  // Lanes of the group take turns.
const float sum_inverse = 1.0f / sum;
  #pragma unroll
  for (int kp_turn = 0; kp_turn < 64 / LANES; ++kp_turn) {
    const int d = kp_turn * LANES + kp_lane;
    out[row * DIM + d] = __float2half(mean[kp_turn] * sum_inverse);
  }
}
