// SPDX-License-Identifier: Apache-2.0
// Shuffles alone.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch shuffles<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void shuffles(const float* x, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float a = x[i], b = a + 1, c = a + 2, d = a + 3;
  for (int r = 0; r < 32; ++r) {
    a += __shfl_xor_sync(~0u, b, 1);
    b += __shfl_xor_sync(~0u, c, 2);
    c += __shfl_xor_sync(~0u, d, 4);
    d += __shfl_xor_sync(~0u, a, 8);
  }
  y[i] = a + b + c + d;
}
