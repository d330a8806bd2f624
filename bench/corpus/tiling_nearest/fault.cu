// SPDX-License-Identifier: Apache-2.0
// The smallest L1 distance of each query to a set of points. Points come from global memory, one
// query a thread.
/* kernelpro
axis   queries = 270336, points = 512
check  queries = 1024, points = 64
input  q : f32[16, queries] ~ normal
input  p : f32[points, 16] ~ normal
output y : f32[queries]
precision f32
work   flops = 33 * queries * points
launch nearest<<<queries / 256, 256>>>(q, p, y, queries, points)
*/
extern "C" __global__ void nearest(const float* __restrict__ q, const float* __restrict__ p,
                                   float* __restrict__ y, int queries, int points) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float mine[16], best = 3.0e38f;
#pragma unroll
  for (int d = 0; d < 16; ++d) mine[d] = q[d * queries + i];
  for (int j = 0; j < points; ++j) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 16; ++d) sum += fabsf(mine[d] - p[j * 16 + d]);
    best = fminf(best, sum);
  }
  y[i] = best;
}
