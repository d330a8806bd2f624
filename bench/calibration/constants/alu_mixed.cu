// SPDX-License-Identifier: Apache-2.0
// Additions, logic and multiply-adds.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : u32[n]
output y : u32[n]
launch alu_mixed<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void alu_mixed(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned a = x[i], b = a + 1, c = a ^ 7, d = a * 5;
  for (int r = 0; r < 128; ++r) {
    a = a * 3 + b; b = (b ^ c) & d; c = c + d + r; d = d * 5 + a;
  }
  y[i] = a + b + c + d;
}
