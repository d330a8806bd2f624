// SPDX-License-Identifier: Apache-2.0
// The two middle axes of an array change places. Places come from 64-bit divisions.
/* kernelpro
axis   a = 64, b = 64, c = 64, d = 64
check  a = 3, b = 8, c = 5, d = 64
input  x : f32[a, b, c, d] ~ normal
output y : f32[a, c, b, d]
precision f32
work   flops = 0, bytes = 8 * a * b * c * d
launch swap<<<a * b * c * d / 256, 256>>>(x, y, b, c, d)
*/
extern "C" __global__ void swap(const float* __restrict__ x, float* __restrict__ y, long long b,
                                long long c, long long d) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  const long long l = i % d, k = i / d % b, j = i / d / b % c, h = i / d / b / c;
  y[i] = x[((h * b + k) * c + j) * d + l];
}
