// SPDX-License-Identifier: Apache-2.0
// A streaming copy with one byte a lane.
/* kernelpro
axis   n = 33554432
check  n = 16384
input  x : u8[n]
output y : u8[n]
launch copy_1b<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void copy_1b(const unsigned char* x, unsigned char* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
