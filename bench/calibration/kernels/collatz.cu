// SPDX-License-Identifier: Apache-2.0
// Loops until a condition, integers.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : u32[n] ~ int(1, 100000)
output y : u32[n]
launch collatz<<<n / 128, 128>>>(x, y)
*/
extern "C" __global__ void collatz(const unsigned* x, unsigned* y) {
  int i = blockIdx.x * 128 + threadIdx.x;
  unsigned v = x[i], steps = 0;
  while (v != 1 && steps < 200) {
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    ++steps;
  }
  y[i] = steps;
}
