// SPDX-License-Identifier: Apache-2.0
// A streaming copy with eight bytes a lane.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch copy_8b<<<ceil_div(n, 512), 256>>>(x, y, n)
*/
extern "C" __global__ void copy_8b(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) reinterpret_cast<float2*>(y)[i] = reinterpret_cast<const float2*>(x)[i];
}
