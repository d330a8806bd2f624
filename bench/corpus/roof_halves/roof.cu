// SPDX-License-Identifier: Apache-2.0
// A clamp of halves, eight a thread.
/* kernelpro
axis   n = 134217728
check  n = 8192
input  x : f16[n] ~ normal
output y : f16[n]
precision f16
work   flops = n
launch clamp<<<n / 2048, 256>>>(x, y)
*/
#include <cuda_fp16.h>

__device__ unsigned positive(unsigned pair) {
  const half2 v = __hmax2_nan(reinterpret_cast<const half2&>(pair), __float2half2_rn(0.0f));
  return reinterpret_cast<const unsigned&>(v);
}
extern "C" __global__ void clamp(const half* __restrict__ x, half* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const uint4 v = reinterpret_cast<const uint4*>(x)[i];
  reinterpret_cast<uint4*>(y)[i] =
      make_uint4(positive(v.x), positive(v.y), positive(v.z), positive(v.w));
}
