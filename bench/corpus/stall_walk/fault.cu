// SPDX-License-Identifier: Apache-2.0
// Where eight lists lead after 32 hops, and the sum of what they pass. One list after the other.
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
#pragma unroll 1
  for (int list = first; list < first + 8; ++list) {
    int node = list % nodes;
    float sum = 0;
#pragma unroll 1
    for (int hop = 0; hop < 32; ++hop) {
      node = next[node];
      sum += table[node * 32 + lane];
    }
    y[list * 32 + lane] = sum;
  }
}
