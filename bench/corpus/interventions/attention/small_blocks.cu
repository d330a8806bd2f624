// SPDX-License-Identifier: Apache-2.0
// Blocks of 32 threads, so that more SMs have some.
/* kernelpro
launch attention<<<ceil_div(rows, 32), 32>>>(q, k, v, out, rows)
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
    for (int d = 0; d < DIM; ++d) score += query[d] * __half2float(k[j * DIM + d]);
    float now = fmaxf(largest, score);
    float keep = expf(largest - now), weight = expf(score - now);
    sum = sum * keep + weight;
    for (int d = 0; d < DIM; ++d) mean[d] = mean[d] * keep + weight * __half2float(v[j * DIM + d]);
    largest = now;
  }
  for (int d = 0; d < DIM; ++d) out[row * DIM + d] = __float2half(mean[d] / sum);
}
