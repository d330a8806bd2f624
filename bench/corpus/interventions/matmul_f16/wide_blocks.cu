// SPDX-License-Identifier: Apache-2.0
// Blocks of 32 x 32.
/* kernelpro
launch matmul<<<(ceil_div(n, 32), ceil_div(m, 32)), (32, 32)>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

extern "C" __global__ void matmul(const __half* a, const __half* b, __half* c, int m, int n,
                                  int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += __half2float(a[row * k + i]) * __half2float(b[i * n + col]);
  c[row * n + col] = __float2half(sum);
}
