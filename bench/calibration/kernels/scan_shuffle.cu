// SPDX-License-Identifier: Apache-2.0
// Inclusive scans of blocks of 256 by shuffles.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch scan_shuffle<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void scan_shuffle(const float* x, float* y) {
  __shared__ float totals[8];
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = x[i];
  for (int step = 1; step < 32; step *= 2) {
    float other = __shfl_up_sync(~0u, v, step);
    if (lane >= step) v += other;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  for (int w = 0; w < warp; ++w) v += totals[w];
  y[i] = v;
}
