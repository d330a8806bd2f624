// SPDX-License-Identifier: Apache-2.0
// Rounds of multiply, shift and xor.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : u32[n]
output y : u32[n]
launch int_hash<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void int_hash(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = x[i];
  for (int r = 0; r < 64; ++r) {
    v ^= v >> 16;
    v *= 0x85ebca6bu;
    v ^= v << 13;
    v += r;
  }
  y[i] = v;
}
