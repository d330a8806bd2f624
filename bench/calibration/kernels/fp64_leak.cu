// SPDX-License-Identifier: Apache-2.0
// Double constants among floats.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch fp64_leak<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void fp64_leak(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  y[i] = 0.5 * v + 0.25 * v * v - 1.5;
}
