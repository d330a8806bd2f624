// SPDX-License-Identifier: Apache-2.0
// Loads with stride 8 that come back to their lines after 64 MiB.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch stride_8<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void stride_8(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int part = n / 8;
  if (i < n) y[i] = x[(i % part) * 8 + i / part];
}
