// SPDX-License-Identifier: Apache-2.0
// Eight chains of multiply-adds.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch fma_chains<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void fma_chains(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  float s[8];
  for (int j = 0; j < 8; ++j) s[j] = v + j;
  for (int r = 0; r < 64; ++r)
    for (int j = 0; j < 8; ++j) s[j] = s[j] * 0.999f + v;
  float sum = 0;
  for (int j = 0; j < 8; ++j) sum += s[j];
  y[i] = sum;
}
