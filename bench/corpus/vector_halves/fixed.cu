// SPDX-License-Identifier: Apache-2.0
// A linear map of halves. A thread for eight halves.
/* kernelpro
axis   n = 67108864
check  n = 8192
input  x : f16[n] ~ normal
output y : f16[n]
precision f16
work   flops = 2 * n
launch linear<<<n / 2048, 256>>>(x, y)
*/
#include <cuda_fp16.h>

__device__ unsigned linear(unsigned pair) {
  const float2 v = __half22float2(reinterpret_cast<const half2&>(pair));
  const half2 result = __floats2half2_rn(fmaf(v.x, 1.5f, -0.25f), fmaf(v.y, 1.5f, -0.25f));
  return reinterpret_cast<const unsigned&>(result);
}

extern "C" __global__ void linear(const half* __restrict__ x, half* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const uint4 part = reinterpret_cast<const uint4*>(x)[i];
  reinterpret_cast<uint4*>(y)[i] =
      make_uint4(linear(part.x), linear(part.y), linear(part.z), linear(part.w));
}
