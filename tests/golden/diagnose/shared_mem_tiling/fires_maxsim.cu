// SPDX-License-Identifier: Apache-2.0
// MaxSim: a block for each document, a thread for each query token, all of them reading the same
// document tokens.
/* kernelpro
axis   documents = 1024, length = 128, query = 32, dim = 64
check  documents = 5, length = 19, query = 32, dim = 64
input  q : f32[query, dim] ~ normal
input  d : f32[documents, length, dim] ~ normal
output score : f32[documents]
precision f32
work   flops = 2 * documents * length * query * dim, contraction
launch maxsim<<<documents, query>>>(q, d, score, length, query, dim)
*/
extern "C" __global__ void maxsim(const float* q, const float* d, float* score, int length,
                                  int query, int dim) {
  const float* mine = q + threadIdx.x * dim;
  const float* tokens = d + (long long)blockIdx.x * length * dim;
  float best = -3.0e38f;
  for (int t = 0; t < length; ++t) {
    float dot = 0.0f;
    for (int i = 0; i < dim; ++i) dot += mine[i] * tokens[t * dim + i];
    best = fmaxf(best, dot);
  }
  for (int step = 16; step > 0; step /= 2) best += __shfl_xor_sync(0xffffffffu, best, step);
  if (threadIdx.x == 0) score[blockIdx.x] = best;
}
