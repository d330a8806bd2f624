// SPDX-License-Identifier: Apache-2.0
// Diffusion along rows of 32. A barrier of the warp after each step.
/* kernelpro
axis   rows = 262144
check  rows = 128
input  x : f32[rows, 32] ~ normal
output y : f32[rows, 32]
precision f32
work   flops = 16384 * rows
launch relax<<<rows / 32, 1024>>>(x, y)
*/
extern "C" __global__ void relax(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float even[32][34], odd[32][34];
  const int i = blockIdx.x * 1024 + threadIdx.x, lane = threadIdx.x % 32, row = threadIdx.x / 32;
  float* first = &even[row][lane];
  float* second = &odd[row][lane];
  if (lane < 2) even[row][lane * 33] = odd[row][lane * 33] = 0.0f;
  float value = x[i];
  first[1] = value;
  __syncwarp();
#pragma unroll 4
  for (int step = 0; step < 64; ++step) {
    value = fmaf(0.25f, first[0] + first[2], 0.5f * value);
    second[1] = value;
    __syncwarp();
    value = fmaf(0.25f, second[0] + second[2], 0.5f * value);
    first[1] = value;
    __syncwarp();
  }
  y[i] = value;
}
