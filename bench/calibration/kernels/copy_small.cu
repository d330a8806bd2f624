// SPDX-License-Identifier: Apache-2.0
// A streaming copy that fits the L2 many times.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch copy_small<<<ceil_div(n, 1024), 256>>>(x, y, n)
*/
extern "C" __global__ void copy_small(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}
