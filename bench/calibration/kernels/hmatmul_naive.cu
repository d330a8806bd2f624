// SPDX-License-Identifier: Apache-2.0
// A product of halves, one element a thread, sums in float.
/* kernelpro
axis   m = 512, n = 512, k = 512
check  m = 256, n = 256, k = 256
input  a : f16[m, k]
input  b : f16[k, n]
output c : f16[m, n]
launch hmatmul_naive<<<(n / 16, m / 16), (16, 16)>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

extern "C" __global__ void hmatmul_naive(const __half* a, const __half* b, __half* c, int m, int n, int k) {
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);
  c[row * n + col] = __float2half(sum);
}
