// SPDX-License-Identifier: Apache-2.0
// A streaming copy with four bytes a lane, larger than the L2.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch copy_4b<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void copy_4b(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
