// SPDX-License-Identifier: Apache-2.0
// The same sum for each element with coefficients that the sign chooses.
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
  const float factor = value > 0 ? 0.5f : -0.25f, step = value > 0 ? 1.0f : -1.0f;
  float sum = 0;
  for (int k = 0; k < 128; ++k) sum = fmaf(sum, factor, fmaf(step, k, value));
  y[i] = sum;
}
