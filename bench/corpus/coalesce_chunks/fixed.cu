// SPDX-License-Identifier: Apache-2.0
// Scale and shift. The threads of a grid lie side by side.
/* kernelpro
axis   n = 33554432
check  n = 8192
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n
launch shift<<<ceil_div(n, 4096), 256>>>(x, y, n)
*/
extern "C" __global__ void shift(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int start = blockIdx.x * 4096 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    const int i = start + 256 * k;
    if (i < n) y[i] = fmaf(x[i], 0.5f, 1.0f);
  }
}
