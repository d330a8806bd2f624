// SPDX-License-Identifier: Apache-2.0
/* kernelpro
launch routed<<<tokens, 32>>>(x, expert, bias, gain, y, width)
*/
#include <cuda_bf16.h>

extern "C" __global__ void routed(const __nv_bfloat16* __restrict__ x,
                                  const long long* __restrict__ expert,
                                  const float* __restrict__ bias, float gain,
                                  __nv_bfloat16* __restrict__ y, int width) {
  const long long row = blockIdx.x, from = expert[row];
  for (int i = threadIdx.x; i < width; i += 32)
    y[row * width + i] =
        __float2bfloat16(__bfloat162float(x[row * width + i]) * gain + bias[from * width + i]);
}
