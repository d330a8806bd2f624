// SPDX-License-Identifier: Apache-2.0
// One chain of multiply-adds, few warps.
/* kernelpro
axis   n = 32768
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch fma_one_chain<<<n / 128, 128>>>(x, y)
*/
extern "C" __global__ void fma_one_chain(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  float s = v;
  for (int r = 0; r < 512; ++r) s = s * 0.999f + v;
  y[i] = s;
}
