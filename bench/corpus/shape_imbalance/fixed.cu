// SPDX-License-Identifier: Apache-2.0
// Sums of distances, one more for each row. Blocks have every 132nd row.
/* kernelpro
axis   n = 33792
check  n = 4224
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n * n / 2
launch triangle<<<132, 1024>>>(x, y, n)
*/
extern "C" __global__ void triangle(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int r = blockIdx.x + warp * 132; r < n; r += 32 * 132) {
    const float value = x[r];
    float sum[2] = {}, at = lane * 0.0001220703125f;
#pragma unroll 8
    for (int c = lane; c <= r; c += 64, at += 0.0078125f) {
      sum[0] += fabsf(value - at);
      sum[1] += fabsf(value + at);
    }
    float all = sum[0] + sum[1];
    for (int offset = 16; offset > 0; offset /= 2) all += __shfl_xor_sync(~0u, all, offset);
    if (lane == 0) y[r] = all;
  }
}
