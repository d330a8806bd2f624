// SPDX-License-Identifier: Apache-2.0
// MaxSim, one thread per document and query token; a second launch adds the maxima of a document.
/* kernelpro
tune ROW_THREADS in 128, 256, 512
buffer best : f32[docs, query_tokens]
launch best_match<<<ceil_div(docs * query_tokens, ROW_THREADS / 32), ROW_THREADS>>>(query, documents, best, docs, doc_tokens, query_tokens)
launch add_matches<<<ceil_div(docs, 128), 128>>>(best, scores, docs, query_tokens)
*/
#include <cuda_fp16.h>
#include <math_constants.h>

#define DIM 128

static __device__ __forceinline__ float kp_warp_add(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = value + __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

extern "C" __global__ void best_match(const __half* query, const __half* documents, float* best,
                                      int docs, int doc_tokens, int query_tokens) {
  int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (i >= docs * query_tokens) return;
  const __half* document = documents + (size_t)(i / query_tokens) * doc_tokens * DIM;
  const __half* q = query + (i % query_tokens) * DIM;

  float largest = -CUDART_INF_F;
  for (int t = 0; t < doc_tokens; ++t) {
    float dot = 0.0f;
    for (int d = lane; d < DIM; d += 32) dot += __half2float(q[d]) * __half2float(document[t * DIM + d]);
  dot = kp_warp_add(dot);
    largest = fmaxf(largest, dot);
  }
  if (lane == 0) best[i] = largest;
}

extern "C" __global__ void add_matches(const float* best, float* scores, int docs,
                                       int query_tokens) {
  int doc = blockIdx.x * blockDim.x + threadIdx.x;
  if (doc >= docs) return;
  float score = 0.0f;
  for (int q = 0; q < query_tokens; ++q) score += best[doc * query_tokens + q];
  scores[doc] = score;
}
