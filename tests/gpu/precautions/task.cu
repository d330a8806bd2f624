// SPDX-License-Identifier: Apache-2.0
// Twice x: the task of candidates that only one precaution of the harness sees through.
/* kernelpro
axis   n = 4194304
check  n = 33792
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = n
launch twice<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
