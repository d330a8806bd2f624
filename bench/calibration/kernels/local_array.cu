// SPDX-License-Identifier: Apache-2.0
// An array that is indexed by data, and so lives in local memory.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : i32[n] ~ int(0, 31)
output y : i32[n]
launch local_array<<<n / 128, 128>>>(x, y)
*/
extern "C" __global__ void local_array(const int* x, int* y) {
  int i = blockIdx.x * 128 + threadIdx.x, at = x[i];
  int slot[32];
  for (int j = 0; j < 32; ++j) slot[j] = j * 7 + at;
  for (int r = 0; r < 16; ++r) {
    slot[(at + r) % 32] += slot[(at * 5 + r) % 32];
    at = slot[r] & 31;
  }
  y[i] = slot[at];
}
