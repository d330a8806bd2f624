// SPDX-License-Identifier: Apache-2.0
// A pair of coupled recursions for each element. Blocks of 33 threads.
/* kernelpro
axis   n = 2162688
check  n = 1056
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 1536 * n
launch bounce<<<n / 33, 33>>>(x, y, n)
*/
extern "C" __global__ void bounce(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * 33 + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = a * 0.5f;
#pragma unroll 8
  for (int k = 0; k < 256; ++k) {
    a = fmaf(b, -0.7f, a * 0.6f);
    b = fmaf(a, 0.5f, b * 0.8f);
  }
  y[i] = a + b;
}
