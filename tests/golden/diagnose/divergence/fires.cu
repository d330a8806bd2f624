// SPDX-License-Identifier: Apache-2.0
// One of two long sums for each element; the sign decides, and lanes of a warp differ in it.
/* kernelpro
axis   n = 1048576
check  n = 77
input  x : f32[n] ~ normal
output y : f32[n]
work   flops = 512 * n, bytes = 8 * n
launch choose<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void choose(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = x[i];
  float sum = 0;
  if (value > 0) {
    for (int k = 0; k < 128; ++k) sum = fmaf(sum, 0.5f, value + k);
  } else {
    for (int k = 0; k < 128; ++k) sum = fmaf(sum, -0.25f, value - k);
  }
  y[i] = sum;
}
