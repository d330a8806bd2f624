// SPDX-License-Identifier: Apache-2.0
// Diffusion along rows of 32, of which each is refined in some steps. A barrier of the block after
// each step.
/* kernelpro
axis   rows = 262144
check  rows = 128
input  x : f32[rows, 32] ~ normal
output y : f32[rows, 32]
precision f32
work   flops = 24576 * rows
launch relax<<<rows / 32, 1024>>>(x, y)
*/
extern "C" __global__ void relax(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float even[32][34], odd[32][34];
  const int i = blockIdx.x * 1024 + threadIdx.x, lane = threadIdx.x % 32, row = threadIdx.x / 32;
  float* from = &even[row][lane];
  float* to = &odd[row][lane];
  if (lane < 2) even[row][lane * 33] = odd[row][lane * 33] = 0.0f;
  float value = x[i];
  from[1] = value;
  __syncthreads();
#pragma unroll 2
  for (int step = 0; step < 32; ++step) {
    value = fmaf(0.25f, from[0] + from[2], 0.5f * value);
    if ((row + step) % 16 == 0) {
#pragma unroll 8
      for (int k = 0; k < 128; ++k) value = fmaf(value, 0.5f, 0.25f * fabsf(value));
    }
    to[1] = value;
    float* const other = from;
    from = to;
    to = other;
    __syncthreads();
  }
  y[i] = value;
}
