// SPDX-License-Identifier: Apache-2.0
// A 5 x 5 filter. A point for each thread.
/* kernelpro
axis   height = 4096, width = 4096
check  height = 64, width = 64
input  x : f32[height + 4, width + 4] ~ normal
input  w : f32[5, 5] ~ normal
output y : f32[height, width]
precision f32
work   flops = 50 * height * width
launch filter<<<(width / 32, height / 8), (32, 8)>>>(x, w, y, width)
*/
extern "C" __global__ void filter(const float* __restrict__ x, const float* __restrict__ w,
                                  float* __restrict__ y, int width) {
  const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
#pragma unroll
  for (int r = 0; r < 5; ++r) {
#pragma unroll
    for (int c = 0; c < 5; ++c) sum = fmaf(w[r * 5 + c], x[(row + r) * (width + 4) + col + c], sum);
  }
  y[row * width + col] = sum;
}
