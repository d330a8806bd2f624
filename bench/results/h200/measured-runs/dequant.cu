// SPDX-License-Identifier: Apache-2.0
// Dequantisation of 8-bit weights, one element per thread.
/* kernelpro
tune ITEMS in 16, 4, 8, 2
launch dequant<<<(ceil_div(cols, 256 * ITEMS), rows), 256>>>(q, scale, zero_point, y, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void dequant(const unsigned char* __restrict__ q,
                                   const float* __restrict__ scale,
                                   const unsigned char* __restrict__ zero_point,
                                   __half* __restrict__ y, int cols) {
  int row = blockIdx.y;
#pragma unroll 8
  for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < cols; col += blockDim.x * gridDim.x) {
    int i = row * cols + col;
    float value = ((float)q[i] - (float)zero_point[row]) * scale[row];
    y[i] = __float2half(value);
  }
}
