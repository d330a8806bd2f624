// SPDX-License-Identifier: Apache-2.0
// GELU by the error function, one element a thread.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch gelu<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void gelu(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  y[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
}
