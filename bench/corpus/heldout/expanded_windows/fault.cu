// SPDX-License-Identifier: Apache-2.0
// A short filter as a matrix product: first the matrix of all windows, then its product.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  x : f32[n + 8] ~ normal
input  tap : f32[8] ~ normal
output y : f32[n]
precision f32
work   flops = 16 * n
buffer windows : f32[8, n]
launch expand<<<n / 256, 256>>>(x, windows, n)
launch reduce<<<n / 256, 256>>>(windows, tap, y, n)
*/
extern "C" __global__ void expand(const float* x, float* windows, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) windows[(size_t)k * n + i] = x[i + k];
}
extern "C" __global__ void reduce(const float* windows, const float* tap, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float dot = 0.f;
  for (int k = 0; k < 8; ++k) dot += tap[k] * windows[(size_t)k * n + i];
  y[i] = dot;
}
