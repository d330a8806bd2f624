// SPDX-License-Identifier: Apache-2.0
// A long recursion from the first element of each group of eight. Every eighth lane works.
/* kernelpro
axis   groups = 524288
check  groups = 256
input  x : f32[groups, 8] ~ normal
output y : f32[groups]
precision f32
work   flops = 1024 * groups, bytes = 36 * groups
launch lead<<<groups / 32, 256>>>(x, y)
*/
__device__ float grown(float value) {
  float a = value, b = 0.5f * value;
  for (int k = 0; k < 256; ++k) {
    a = fmaf(b, -0.5f, value);
    b = fmaf(a, 0.25f, b * 0.5f);
  }
  return a + b;
}
extern "C" __global__ void lead(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float value = x[i];
  if (i % 8 == 0) y[i / 8] = grown(value);
}
