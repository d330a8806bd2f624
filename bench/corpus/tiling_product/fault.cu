// SPDX-License-Identifier: Apache-2.0
// A matrix product in single precision. A thread for each element, straight from global memory.
/* kernelpro
axis   m = 1024, n = 1024, k = 1024
check  m = 128, n = 64, k = 64
input  a : f32[m, k] ~ normal
input  b : f32[k, n] ~ normal
output c : f32[m, n]
precision f32
work   flops = 2 * m * n * k, contraction
launch product<<<(n / 32, m / 8), (32, 8)>>>(a, b, c, n, k)
*/
extern "C" __global__ void product(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, int n, int k) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum = fmaf(a[row * k + i], b[i * n + col], sum);
  c[row * n + col] = sum;
}
