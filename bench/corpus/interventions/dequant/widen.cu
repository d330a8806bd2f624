// SPDX-License-Identifier: Apache-2.0
// Eight elements a thread where rows allow it.
/* kernelpro
launch dequant<<<(ceil_div(cols, 2048), rows), 256>>>(q, scale, zero_point, y, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void dequant(const unsigned char* __restrict__ q,
                                   const float* __restrict__ scale,
                                   const unsigned char* __restrict__ zero_point,
                                   __half* __restrict__ y, int cols) {
  const int row = blockIdx.y, first = (blockIdx.x * 256 + threadIdx.x) * 8;
  const float zero = zero_point[row], step = scale[row];
  const int i = row * cols + first;
  if (first + 8 <= cols && cols % 8 == 0) {
    const uint2 part = *reinterpret_cast<const uint2*>(q + i);
    __align__(16) __half result[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const unsigned word = k < 4 ? part.x : part.y;
      result[k] = __float2half(((float)(word >> 8 * (k % 4) & 255) - zero) * step);
    }
    *reinterpret_cast<uint4*>(y + i) = *reinterpret_cast<const uint4*>(result);
    return;
  }
  for (int k = 0; k < 8 && first + k < cols; ++k)
    y[i + k] = __float2half(((float)q[i + k] - zero) * step);
}
