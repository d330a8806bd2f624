// SPDX-License-Identifier: Apache-2.0
// The query's token is loaded once, into registers.
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

  float mine[DIM];
#pragma unroll
  for (int d = 0; d < DIM; ++d) mine[d] = __half2float(q[d]);

  float largest = -CUDART_INF_F;
  for (int t = 0; t < doc_tokens; ++t) {
    float dot = 0.0f;
#pragma unroll
    for (int d = 0; d < DIM; ++d) dot += mine[d] * __half2float(document[t * DIM + d]);
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
