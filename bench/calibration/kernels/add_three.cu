// SPDX-License-Identifier: Apache-2.0
// Three input streams and one output.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  a : f32[n]
input  b : f32[n]
input  c : f32[n]
output y : f32[n]
launch add_three<<<ceil_div(n, 256), 256>>>(a, b, c, y, n)
*/
extern "C" __global__ void add_three(const float* a, const float* b, const float* c, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] * b[i] + c[i];
}
