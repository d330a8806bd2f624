// SPDX-License-Identifier: Apache-2.0
// Logic alone.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : u32[n]
output y : u32[n]
launch alu_logic<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void alu_logic(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned a = x[i], b = a + 1, c = a ^ 7, d = a * 5;
  for (int r = 0; r < 128; ++r) {
    a = (a ^ b) | c; b = (b ^ c) & d; c = (c | d) ^ a; d = (d & a) ^ b;
  }
  y[i] = a + b + c + d;
}
