// SPDX-License-Identifier: Apache-2.0
// A copy whose warps straddle sectors.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch misaligned<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void misaligned(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) y[i] = x[i + 1];
  if (i + 1 == n) y[i] = x[0];
}
