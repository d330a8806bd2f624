// SPDX-License-Identifier: Apache-2.0
// Gradients of words that occur often, added up in each block before they reach the table.
/* kernelpro
axis   tokens = 262144
check  tokens = 2048
input  word : i32[tokens] ~ int(0, 15)
input  gradient : f32[tokens, 64] ~ int(-2, 2)
output table : f32[16, 64]
precision f32
work   flops = 64 * tokens
zero   table
launch scatter<<<512, 256>>>(word, gradient, table, tokens)
*/
extern "C" __global__ void scatter(const int* word, const float* gradient, float* table,
                                   int tokens) {
  // A thread owns one feature of four groups; nobody else touches its column.
  __shared__ float sums[4][16][64];
  const int group = threadIdx.x / 64, feature = threadIdx.x % 64;
  for (int w = 0; w < 16; ++w) sums[group][w][feature] = 0.f;
#pragma unroll 4
  for (int token = blockIdx.x * 4 + group; token < tokens; token += gridDim.x * 4)
    sums[group][word[token]][feature] += gradient[(size_t)token * 64 + feature];
  __syncthreads();
  for (int at = threadIdx.x; at < 16 * 64; at += 256) {
    const float* first = &sums[0][0][0] + at;
    atomicAdd(table + at, (first[0] + first[1024]) + (first[2048] + first[3072]));
  }
}
