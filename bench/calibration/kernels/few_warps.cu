// SPDX-License-Identifier: Apache-2.0
// A stream with one block an SM, because of its shared memory.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch few_warps<<<n / 256, 256, 200000>>>(x, y)
*/
extern "C" __global__ void few_warps(const float* x, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = 2.0f * x[i];
}
