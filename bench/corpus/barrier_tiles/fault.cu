// SPDX-License-Identifier: Apache-2.0
// The sum of distances of each element to a list of points. Tiles of eight points.
/* kernelpro
axis   n = 270336, points = 2048
check  n = 2048, points = 1024
input  x : f32[n] ~ normal
input  p : f32[points] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n * points
launch distances<<<n / 1024, 1024>>>(x, p, y, points)
*/
#define TILE 8
extern "C" __global__ void distances(const float* __restrict__ x, const float* __restrict__ p,
                                     float* __restrict__ y, int points) {
  __shared__ float tile[TILE];
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const float value = x[i];
  float sum = 0;
  for (int start = 0; start < points; start += TILE) {
    if (threadIdx.x < TILE) tile[threadIdx.x] = p[start + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < TILE; ++k) sum += fabsf(value - tile[k]);
    __syncthreads();
  }
  y[i] = sum;
}
