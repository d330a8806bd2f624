// SPDX-License-Identifier: Apache-2.0
// Dequantisation of 8-bit weights, one element per thread.
/* kernelpro
launch dequant<<<(ceil_div(cols, 256 * 8), rows), 256>>>(q, scale, zero_point, y, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void dequant(const unsigned char* __restrict__ q,
                                   const float* __restrict__ scale,
                                   const unsigned char* __restrict__ zero_point,
                                   __half* __restrict__ y, int cols) {
  int row = blockIdx.y;
  int col_first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (col_first < cols) {
    int col = col_first;
    int i = row * cols + col;
    if (col_first + 8 <= cols &&
        reinterpret_cast<unsigned long long>(q + i) % 8 == 0 &&
        reinterpret_cast<unsigned long long>(y + i) % 16 == 0) {
      alignas(8) unsigned char q_lane[8];
      *reinterpret_cast<uint2*>(q_lane) = *reinterpret_cast<const uint2*>(q + i);
      alignas(16) __half y_lane[8];
#pragma unroll
      for (int lane = 0; lane < 8; ++lane) {
        float value = ((float)q_lane[lane] - (float)zero_point[row]) * scale[row];
        y_lane[lane] = __float2half(value);
      }
      *reinterpret_cast<uint4*>(y + i) = *reinterpret_cast<const uint4*>(y_lane);
    } else {
      for (int col = col_first; col < cols && col < col_first + 8; ++col) {
        int i = row * cols + col;
        float value = ((float)q[i] - (float)zero_point[row]) * scale[row];
        y[i] = __float2half(value);
      }
    }
  }
}
