// SPDX-License-Identifier: Apache-2.0
// Attention of one query a warp, keys and values of 64 floats.
/* kernelpro
axis   queries = 1024, keys = 512
check  queries = 256, keys = 256
input  q : f32[queries, 64]
input  k : f32[keys, 64]
input  v : f32[keys, 64]
output y : f32[queries, 64]
launch attention_row<<<queries / 4, 128>>>(q, k, v, y, keys)
*/
extern "C" __global__ void attention_row(const float* __restrict__ q, const float* __restrict__ k,
                                         const float* __restrict__ v, float* __restrict__ y, int keys) {
  int row = (blockIdx.x * 128 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float2 mine = reinterpret_cast<const float2*>(q)[row * 32 + lane], acc = make_float2(0, 0);
  float largest = -1e30f, sum = 0;
  for (int j = 0; j < keys; ++j) {
    float2 key = reinterpret_cast<const float2*>(k)[j * 32 + lane];
    float score = mine.x * key.x + mine.y * key.y;
    for (int step = 16; step > 0; step /= 2) score += __shfl_xor_sync(~0u, score, step);
    score *= 0.125f;
    float top = fmaxf(largest, score), fade = __expf(largest - top), weight = __expf(score - top);
    float2 value = reinterpret_cast<const float2*>(v)[j * 32 + lane];
    acc.x = acc.x * fade + weight * value.x;
    acc.y = acc.y * fade + weight * value.y;
    sum = sum * fade + weight;
    largest = top;
  }
  reinterpret_cast<float2*>(y)[row * 32 + lane] = make_float2(acc.x / sum, acc.y / sum);
}
