// SPDX-License-Identifier: Apache-2.0
// A warp for each row: two dimensions a lane, 32 times the threads.
/* kernelpro
launch attention<<<ceil_div(rows, 4), 128>>>(q, k, v, out, rows)
*/
#include <cuda_fp16.h>
#include <math_constants.h>

#define DIM 64

extern "C" __global__ void attention(const __half* q, const __half* k, const __half* v, __half* out,
                                     int rows) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float2 query = __half22float2(reinterpret_cast<const __half2*>(q + row * DIM)[lane]);
  const float scale = rsqrtf(DIM);
  float2 mean = make_float2(0.0f, 0.0f);
  float largest = -CUDART_INF_F, sum = 0.0f;
  for (int j = 0; j <= row; ++j) {
    const float2 key = __half22float2(reinterpret_cast<const __half2*>(k + j * DIM)[lane]);
    float score = query.x * scale * key.x + query.y * scale * key.y;
    for (int offset = 16; offset > 0; offset /= 2) score += __shfl_xor_sync(~0u, score, offset);
    float now = fmaxf(largest, score);
    float keep = expf(largest - now), weight = expf(score - now);
    const float2 value = __half22float2(reinterpret_cast<const __half2*>(v + j * DIM)[lane]);
    sum = sum * keep + weight;
    mean.x = mean.x * keep + weight * value.x;
    mean.y = mean.y * keep + weight * value.y;
    largest = now;
  }
  reinterpret_cast<__half2*>(out + row * DIM)[lane] = __floats2half2_rn(mean.x / sum, mean.y / sum);
}
