// SPDX-License-Identifier: Apache-2.0
// Divisions and remainders by numbers that the compiler does not know.
/* kernelpro
axis   n = 2097152
check  n = 16384
input  x : i32[n] ~ int(1, 1000000)
input  d : i32[n] ~ int(1, 1000)
output y : i32[n]
launch int_divide<<<n / 256, 256>>>(x, d, y)
*/
extern "C" __global__ void int_divide(const int* x, const int* d, int* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int v = x[i], by = d[i], sum = 0;
  for (int r = 0; r < 4; ++r) sum += (v + r) / (by + r) + (v + r) % (by + r);
  y[i] = sum;
}
