// SPDX-License-Identifier: Apache-2.0
// Conversions between float, integer and half.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch convert<<<n / 256, 256>>>(x, y)
*/
#include <cuda_fp16.h>

extern "C" __global__ void convert(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < 16; ++r) {
    int whole = __float2int_rn(v * 3.5f);
    __half h = __float2half(v);
    v = __half2float(h) + 0.001f * whole;
  }
  y[i] = v;
}
