// SPDX-License-Identifier: Apache-2.0
// A geometric series in single precision. The literals are floats.
/* kernelpro
axis   n = 8388608
check  n = 8192
input  x : f32[n] ~ uniform(-1, 1)
output y : f32[n]
precision f32
work   flops = 384 * n
launch series<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void series(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = x[i];
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < 128; ++k) sum = sum * (0.4f * v) + 0.3f;
  y[i] = sum;
}
