// SPDX-License-Identifier: Apache-2.0
// Sparse retrieval, one thread per posting: it adds what its term gives to its document.
/* kernelpro
zero   scores
launch score<<<(ceil_div(postings, 256), terms), 256>>>(ids, impacts, weights, scores, postings)
*/
extern "C" __global__ void score(const int* ids, const float* impacts, const float* weights,
                                 float* scores, int postings) {
  int term = blockIdx.y;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < postings) {
    int posting = term * postings + i;
    atomicAdd(&scores[ids[posting]], weights[term] * impacts[posting]);
  }
}
