// SPDX-License-Identifier: Apache-2.0
// Stores to random places.
/* kernelpro
axis   n = 4194304, m = 16777216
check  n = 16384, m = 65536
input  index : i32[n] ~ int(0, m - 1)
input  x : f32[n]
inout  y : f32[m]
launch scatter<<<ceil_div(n, 256), 256>>>(index, x, y, n)
*/
extern "C" __global__ void scatter(const int* index, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[index[i]] = x[i];
}
