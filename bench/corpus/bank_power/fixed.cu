// SPDX-License-Identifier: Apache-2.0
// A recursive filter over parts of 32 elements, four times. The parts lie 33 floats apart.
/* kernelpro
axis   n = 16777216
check  n = 8192
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 8 * n
launch filter<<<n / 4096, 128>>>(x, y)
*/
#define PITCH 33
extern "C" __global__ void filter(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float parts[128 * PITCH];
  const int first = blockIdx.x * 4096;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int at = k * 128 + threadIdx.x;
    parts[at / 32 * PITCH + at % 32] = x[first + at];
  }
  __syncthreads();
  float* mine = parts + threadIdx.x * PITCH;
  float state = 0;
#pragma unroll 1
  for (int pass = 0; pass < 4; ++pass) {
#pragma unroll
    for (int k = 0; k < 32; ++k) mine[k] = state = fmaf(state, 0.5f, mine[k]);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int at = k * 128 + threadIdx.x;
    y[first + at] = parts[at / 32 * PITCH + at % 32];
  }
}
