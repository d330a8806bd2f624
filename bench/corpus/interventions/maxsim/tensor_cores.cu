// SPDX-License-Identifier: Apache-2.0
// The products of a document and the query on tensor cores.
/* kernelpro
buffer best : f32[docs, query_tokens]
launch best_match<<<docs, 128>>>(query, documents, best, doc_tokens, query_tokens)
launch add_matches<<<ceil_div(docs, 128), 128>>>(best, scores, docs, query_tokens)
*/
#include <cuda_fp16.h>
#include <math_constants.h>
#include <mma.h>

#define DIM 128

using namespace nvcuda;

extern "C" __global__ void best_match(const __half* query, const __half* documents, float* best,
                                      int doc_tokens, int query_tokens) {
  __shared__ __align__(32) __half left[16][DIM + 16], right[64][DIM + 16];
  __shared__ __align__(32) float dots[16][68];
  const __half* document = documents + (size_t)blockIdx.x * doc_tokens * DIM;
  const int warp = threadIdx.x / 32;
  const __half zero = __float2half(0.0f);
  for (int q = 0; q < query_tokens; q += 16) {
    float largest = -CUDART_INF_F;
    for (int t = 0; t < doc_tokens; t += 64) {
      for (int at = threadIdx.x; at < 16 * DIM; at += 128)
        left[at / DIM][at % DIM] = q + at / DIM < query_tokens ? query[q * DIM + at] : zero;
      for (int at = threadIdx.x; at < 64 * DIM; at += 128)
        right[at / DIM][at % DIM] = t + at / DIM < doc_tokens ? document[t * DIM + at] : zero;
      __syncthreads();
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
      wmma::fill_fragment(sum, 0.0f);
      for (int d = 0; d < DIM; d += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
        wmma::load_matrix_sync(a, &left[0][d], DIM + 16);
        wmma::load_matrix_sync(b, &right[warp * 16][d], DIM + 16);
        wmma::mma_sync(sum, a, b, sum);
      }
      wmma::store_matrix_sync(&dots[0][warp * 16], sum, 68, wmma::mem_row_major);
      __syncthreads();
      if (threadIdx.x < 16)
        for (int k = 0; k < 64 && t + k < doc_tokens; ++k)
          largest = fmaxf(largest, dots[threadIdx.x][k]);
      __syncthreads();
    }
    if (threadIdx.x < 16 && q + threadIdx.x < query_tokens)
      best[blockIdx.x * query_tokens + q + threadIdx.x] = largest;
  }
}
extern "C" __global__ void add_matches(const float* best, float* scores, int docs,
                                       int query_tokens) {
  int doc = blockIdx.x * blockDim.x + threadIdx.x;
  if (doc >= docs) return;
  float score = 0.0f;
  for (int q = 0; q < query_tokens; ++q) score += best[doc * query_tokens + q];
  scores[doc] = score;
}
