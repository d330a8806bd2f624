// SPDX-License-Identifier: Apache-2.0
// A filter of 17 taps in constant memory.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  x : f32[n + 16]
output y : f32[n]
launch conv_constant<<<n / 256, 256>>>(x, y)
*/
__constant__ float taps[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};

extern "C" __global__ void conv_constant(const float* x, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < 17; ++t) sum += taps[t] * x[i + t];
  y[i] = sum;
}
