// SPDX-License-Identifier: Apache-2.0
// A linear map of halves. A thread for each half.
/* kernelpro
axis   n = 67108864
check  n = 8192
input  x : f16[n] ~ normal
output y : f16[n]
precision f16
work   flops = 2 * n
launch linear<<<n / 256, 256>>>(x, y)
*/
#include <cuda_fp16.h>

extern "C" __global__ void linear(const half* __restrict__ x, half* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = __float2half(fmaf(__half2float(x[i]), 1.5f, -0.25f));
}
