// SPDX-License-Identifier: Apache-2.0
// A 5 x 5 filter. Eight points for each thread.
/* kernelpro
axis   height = 4096, width = 4096
check  height = 64, width = 64
input  x : f32[height + 4, width + 4] ~ normal
input  w : f32[5, 5] ~ normal
output y : f32[height, width]
precision f32
work   flops = 50 * height * width
launch filter<<<(width / 32, height / 64), (32, 8)>>>(x, w, y, width)
*/
extern "C" __global__ void filter(const float* __restrict__ x, const float* __restrict__ w,
                                  float* __restrict__ y, int width) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 64 + threadIdx.y * 8;
  float factor[25], sum[8] = {};
#pragma unroll
  for (int k = 0; k < 25; ++k) factor[k] = w[k];
#pragma unroll
  for (int r = 0; r < 12; ++r) {
    float value[5];
#pragma unroll
    for (int c = 0; c < 5; ++c) value[c] = x[(row + r) * (width + 4) + col + c];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      if (r < k || r > k + 4) continue;
#pragma unroll
      for (int c = 0; c < 5; ++c) sum[k] = fmaf(factor[(r - k) * 5 + c], value[c], sum[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < 8; ++k) y[(row + k) * width + col] = sum[k];
}
