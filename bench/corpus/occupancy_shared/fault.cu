// SPDX-License-Identifier: Apache-2.0
// Sums along lists of a table's rows. Blocks reserve shared memory.
/* kernelpro
axis   walks = 262144, nodes = 16384
check  walks = 64, nodes = 1000
input  next : i32[nodes] ~ int(0, nodes - 1)
input  table : f32[nodes, 32] ~ normal
output y : f32[walks, 32]
precision f32
work   flops = 256 * walks
launch walk<<<walks / 8, 256, 110000>>>(next, table, y, nodes)
*/
extern "C" __global__ void walk(const int* __restrict__ next, const float* __restrict__ table,
                                float* __restrict__ y, int nodes) {
  const int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;
  int node = i / 32 % nodes;
  float sum = 0;
#pragma unroll 1
  for (int hop = 0; hop < 8; ++hop) {
    node = next[node];
    sum += table[node * 32 + lane];
  }
  y[i] = sum;
}
