// SPDX-License-Identifier: Apache-2.0
// The smallest L1 distance of each query to a set of points. Points come from a shared tile, two
// queries a thread.
/* kernelpro
axis   queries = 270336, points = 512
check  queries = 1024, points = 64
input  q : f32[16, queries] ~ normal
input  p : f32[points, 16] ~ normal
output y : f32[queries]
precision f32
work   flops = 33 * queries * points
launch nearest<<<queries / 512, 256>>>(q, p, y, queries, points)
*/
__device__ float distance(const float* mine, const float4* p) {
  float sum = 0;
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    sum += fabsf(mine[4 * d] - p[d].x);
    sum += fabsf(mine[4 * d + 1] - p[d].y);
    sum += fabsf(mine[4 * d + 2] - p[d].z);
    sum += fabsf(mine[4 * d + 3] - p[d].w);
  }
  return sum;
}
extern "C" __global__ void nearest(const float* __restrict__ q, const float* __restrict__ p,
                                   float* __restrict__ y, int queries, int points) {
  __shared__ float4 tile[64 * 4];
  const int i = blockIdx.x * 512 + threadIdx.x;
  float first[16], second[16], best = 3.0e38f, next = 3.0e38f;
#pragma unroll
  for (int d = 0; d < 16; ++d) {
    first[d] = q[d * queries + i];
    second[d] = q[d * queries + i + 256];
  }
  for (int start = 0; start < points; start += 64) {
    tile[threadIdx.x] = reinterpret_cast<const float4*>(p)[start * 4 + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float4 point[4];
#pragma unroll
      for (int d = 0; d < 4; ++d) point[d] = tile[j * 4 + d];
      best = fminf(best, distance(first, point));
      next = fminf(next, distance(second, point));
    }
    __syncthreads();
  }
  y[i] = best;
  y[i + 256] = next;
}
