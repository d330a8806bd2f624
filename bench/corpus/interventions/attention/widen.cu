// SPDX-License-Identifier: Apache-2.0
// Eight halves an access.
/* kernelpro
launch attention<<<ceil_div(rows, 128), 128>>>(q, k, v, out, rows)
*/
#include <cuda_fp16.h>
#include <math_constants.h>

#define DIM 64

extern "C" __global__ void attention(const __half* q, const __half* k, const __half* v, __half* out,
                                     int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float query[DIM], mean[DIM];
  for (int d = 0; d < DIM; ++d) {
    query[d] = __half2float(q[row * DIM + d]) * rsqrtf(DIM);
    mean[d] = 0.0f;
  }
  float largest = -CUDART_INF_F, sum = 0.0f;
  for (int j = 0; j <= row; ++j) {
    float score = 0.0f;
#pragma unroll
    for (int d = 0; d < DIM; d += 8) {
      const uint4 part = *reinterpret_cast<const uint4*>(k + j * DIM + d);
      const __half* key = reinterpret_cast<const __half*>(&part);
#pragma unroll
      for (int e = 0; e < 8; ++e) score += query[d + e] * __half2float(key[e]);
    }
    float now = fmaxf(largest, score);
    float keep = expf(largest - now), weight = expf(score - now);
    sum = sum * keep + weight;
#pragma unroll
    for (int d = 0; d < DIM; d += 8) {
      const uint4 part = *reinterpret_cast<const uint4*>(v + j * DIM + d);
      const __half* value = reinterpret_cast<const __half*>(&part);
#pragma unroll
      for (int e = 0; e < 8; ++e)
        mean[d + e] = mean[d + e] * keep + weight * __half2float(value[e]);
    }
    largest = now;
  }
  for (int d = 0; d < DIM; ++d) out[row * DIM + d] = __float2half(mean[d] / sum);
}
