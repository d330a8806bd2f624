// SPDX-License-Identifier: Apache-2.0
// Loads of every second float.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[2 * n]
output y : f32[n]
launch stride_2<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void stride_2(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[2 * i];
}
