// SPDX-License-Identifier: Apache-2.0
// Approximate exponentials, logarithms, sines and roots.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch special_fast<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void special_fast(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < 16; ++r) v = __expf(-v * v) + __sinf(v) + __logf(v * v + 1.0f) + rsqrtf(v * v + 2.0f);
  y[i] = v;
}
