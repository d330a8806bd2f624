// SPDX-License-Identifier: Apache-2.0
// Shifts and logic.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : u32[n]
output y : u32[n]
launch alu_shift<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void alu_shift(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned a = x[i], b = a + 1, c = a ^ 7, d = a * 5;
  for (int r = 0; r < 128; ++r) {
    a ^= a >> 3; b ^= b >> 5; c ^= c << 7; d ^= d << 9;
  }
  y[i] = a + b + c + d;
}
