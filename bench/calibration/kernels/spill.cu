// SPDX-License-Identifier: Apache-2.0
// 48 sums a thread with registers for far fewer.
/* kernelpro
axis   n = 262144
check  n = 16384
input  x : f32[48, n]
output y : f32[n]
launch spill<<<n / 256, 256>>>(x, y, n)
*/
extern "C" __global__ void __launch_bounds__(256, 8) spill(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v[48];
#pragma unroll
  for (int j = 0; j < 48; ++j) v[j] = x[j * n + i];
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int j = 0; j < 48; ++j) v[j] = v[j] * v[(j + 17) % 48] + 0.5f;
  }
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 48; ++j) sum += v[j];
  y[i] = sum;
}
