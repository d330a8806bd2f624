// SPDX-License-Identifier: Apache-2.0
// Four independent recursions for each element.
/* kernelpro
axis   n = 2162688
check  n = 1024
input  x : f32[n] ~ uniform(-1, 1)
output y : f32[n]
precision f32
work   flops = 4096 * n
launch recur<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void recur(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = x[i];
  float a = v, b = 0.5f * v, c = 0.25f * v, d = 0.125f * v;
#pragma unroll 16
  for (int k = 0; k < 512; ++k) {
    a = fmaf(a, 0.5f, v);
    b = fmaf(b, -0.5f, v);
    c = fmaf(c, 0.25f, v);
    d = fmaf(d, -0.25f, v);
  }
  y[i] = (a + b) + (c + d);
}
