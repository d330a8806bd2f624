// SPDX-License-Identifier: Apache-2.0
// The same with four floats a thread and four blocks an SM.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch few_warps_wide<<<n / 1024, 256, 50000>>>(x, y)
*/
extern "C" __global__ void few_warps_wide(const float4* x, float4* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 v = x[i];
  y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
