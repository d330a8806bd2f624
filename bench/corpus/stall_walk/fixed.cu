// SPDX-License-Identifier: Apache-2.0
// Where eight lists lead after 32 hops, and the sum of what they pass. Eight lists at a time.
/* kernelpro
axis   walks = 8448, nodes = 262144
check  walks = 64, nodes = 1000
input  next : i32[nodes] ~ int(0, nodes - 1)
input  table : f32[nodes, 32] ~ normal
output y : f32[walks, 32]
precision f32
work   flops = 256 * walks
launch walk<<<walks / 64, 256>>>(next, table, y, nodes)
*/
extern "C" __global__ void walk(const int* __restrict__ next, const float* __restrict__ table,
                                float* __restrict__ y, int nodes) {
  const int lane = threadIdx.x % 32, first = (blockIdx.x * 8 + threadIdx.x / 32) * 8;
  int node[8];
  float sum[8] = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) node[k] = (first + k) % nodes;
#pragma unroll 1
  for (int hop = 0; hop < 32; ++hop) {
#pragma unroll
    for (int k = 0; k < 8; ++k) node[k] = next[node[k]];
#pragma unroll
    for (int k = 0; k < 8; ++k) sum[k] += table[node[k] * 32 + lane];
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) y[(first + k) * 32 + lane] = sum[k];
}
