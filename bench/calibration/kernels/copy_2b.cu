// SPDX-License-Identifier: Apache-2.0
// A streaming copy with two bytes a lane.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : u16[n]
output y : u16[n]
launch copy_2b<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void copy_2b(const unsigned short* x, unsigned short* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
