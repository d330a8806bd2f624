// SPDX-License-Identifier: Apache-2.0
// Diffusion along rows of 32. A barrier of the warp after each step.
/* kernelpro
axis   rows = 262144
check  rows = 128
input  x : f32[rows, 32] ~ normal
output y : f32[rows, 32]
precision f32
work   flops = 8192 * rows
launch relax<<<rows / 32, 1024>>>(x, y)
*/
extern "C" __global__ void relax(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float rows[2][32][34];
  const int i = blockIdx.x * 1024 + threadIdx.x, lane = threadIdx.x % 32, row = threadIdx.x / 32;
  if (lane < 2) rows[0][row][lane * 33] = rows[1][row][lane * 33] = 0.0f;
  rows[0][row][lane + 1] = x[i];
  __syncwarp();
  float value = x[i];
#pragma unroll 1
  for (int step = 0; step < 64; ++step) {
    const float* from = rows[step % 2][row];
    value = fmaf(0.25f, from[lane] + from[lane + 2], 0.5f * value);
    rows[1 - step % 2][row][lane + 1] = value;
    __syncwarp();
  }
  y[i] = value;
}
