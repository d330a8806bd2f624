// SPDX-License-Identifier: Apache-2.0
// Dependent loads of one lane over 128 MiB.
/* kernelpro
axis   m = 33554432
check  m = 65536
input  next : i32[m] ~ int(0, m - 1)
output y : i32[1, 1]
launch chase_one<<<1, 1>>>(next, y)
*/
extern "C" __global__ void chase_one(const int* next, int* y) {
  int at = 0;
  for (int r = 0; r < 256; ++r) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
