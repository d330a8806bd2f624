// SPDX-License-Identifier: Apache-2.0
// Pairs of halves, eight halves a thread, some arithmetic.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f16[n]
input  y : f16[n]
output z : f16[n]
launch half2_axpy<<<n / 2048, 256>>>(x, y, z)
*/
#include <cuda_fp16.h>

extern "C" __global__ void half2_axpy(const uint4* x, const uint4* y, uint4* z) {
  int i = blockIdx.x * 256 + threadIdx.x;
  uint4 u = x[i], v = y[i];
  __half2* a = reinterpret_cast<__half2*>(&u);
  __half2* b = reinterpret_cast<__half2*>(&v);
  for (int j = 0; j < 4; ++j)
    for (int r = 0; r < 4; ++r) a[j] = __hfma2(a[j], __float2half2_rn(0.5f), b[j]);
  z[i] = u;
}
