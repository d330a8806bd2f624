// SPDX-License-Identifier: Apache-2.0
// Gradients of words that occur often, each added to the table where it belongs.
/* kernelpro
axis   tokens = 262144
check  tokens = 2048
input  word : i32[tokens] ~ int(0, 15)
input  gradient : f32[tokens, 64] ~ int(-2, 2)
output table : f32[16, 64]
precision f32
work   flops = 64 * tokens
zero   table
launch scatter<<<tokens / 4, 256>>>(word, gradient, table, tokens)
*/
extern "C" __global__ void scatter(const int* word, const float* gradient, float* table, int) {
  const int token = blockIdx.x * 4 + threadIdx.x / 64, feature = threadIdx.x % 64;
  atomicAdd(table + word[token] * 64 + feature, gradient[(size_t)token * 64 + feature]);
}
