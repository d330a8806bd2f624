// SPDX-License-Identifier: Apache-2.0
// Weighted sums along lists of a table's rows. The factors stay in registers.
/* kernelpro
axis   walks = 32768, nodes = 16384
check  walks = 64, nodes = 1000
input  next : i32[nodes] ~ int(0, nodes - 1)
input  table : f32[nodes, 32] ~ normal
input  factor : f32[96, 32] ~ normal
output y : f32[walks, 32]
precision f32
work   flops = 12288 * walks
launch walk<<<walks / 4, 128>>>(next, table, factor, y, nodes)
*/
extern "C" __global__ void walk(const int* __restrict__ next, const float* __restrict__ table,
                                const float* __restrict__ factor, float* __restrict__ y,
                                int nodes) {
  const int i = blockIdx.x * 128 + threadIdx.x, lane = threadIdx.x % 32;
  float factors[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) factors[k] = factor[k * 32 + lane];
  int node = i / 32 % nodes;
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
#pragma unroll
    for (int k = 0; k < 96; ++k) {
      node = next[node];
      sum = fmaf(factors[k], table[node * 32 + lane], sum);
    }
  }
  y[i] = sum;
}
