// SPDX-License-Identifier: Apache-2.0
// Accurate exponentials, tangents and error functions.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch special_accurate<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void special_accurate(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < 8; ++r) v = expf(-v) / (1.0f + tanhf(v) * tanhf(v)) + erff(v);
  y[i] = v;
}
