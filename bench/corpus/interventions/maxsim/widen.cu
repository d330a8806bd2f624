// SPDX-License-Identifier: Apache-2.0
// Eight halves an access.
/* kernelpro
buffer best : f32[docs, query_tokens]
launch best_match<<<ceil_div(docs * query_tokens, 64), 64>>>(
  query, documents, best, docs, doc_tokens, query_tokens)
launch add_matches<<<ceil_div(docs, 128), 128>>>(best, scores, docs, query_tokens)
*/
#include <cuda_fp16.h>
#include <math_constants.h>

#define DIM 128

extern "C" __global__ void best_match(const __half* query, const __half* documents, float* best,
                                      int docs, int doc_tokens, int query_tokens) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= docs * query_tokens) return;
  const __half* document = documents + (size_t)(i / query_tokens) * doc_tokens * DIM;
  const __half* q = query + (i % query_tokens) * DIM;

  float largest = -CUDART_INF_F;
  for (int t = 0; t < doc_tokens; ++t) {
    float dot = 0.0f;
    for (int d = 0; d < DIM; d += 8) {
      const uint4 left = *reinterpret_cast<const uint4*>(q + d);
      const uint4 right = *reinterpret_cast<const uint4*>(document + t * DIM + d);
      const __half* u = reinterpret_cast<const __half*>(&left);
      const __half* v = reinterpret_cast<const __half*>(&right);
#pragma unroll
      for (int k = 0; k < 8; ++k) dot += __half2float(u[k]) * __half2float(v[k]);
    }
    largest = fmaxf(largest, dot);
  }
  best[i] = largest;
}

extern "C" __global__ void add_matches(const float* best, float* scores, int docs,
                                       int query_tokens) {
  int doc = blockIdx.x * blockDim.x + threadIdx.x;
  if (doc >= docs) return;
  float score = 0.0f;
  for (int q = 0; q < query_tokens; ++q) score += best[doc * query_tokens + q];
  scores[doc] = score;
}
