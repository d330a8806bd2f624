// SPDX-License-Identifier: Apache-2.0
// Multiply-adds of integers.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : u32[n]
output y : u32[n]
launch alu_mul<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void alu_mul(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned a = x[i], b = a + 1, c = a ^ 7, d = a * 5;
  for (int r = 0; r < 128; ++r) {
    a = a * 3 + b; b = b * 5 + c; c = c * 7 + d; d = d * 9 + a;
  }
  y[i] = a + b + c + d;
}
