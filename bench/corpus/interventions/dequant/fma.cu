// SPDX-License-Identifier: Apache-2.0
// The zero point is folded into one multiply-add.
/* kernelpro
launch dequant<<<(ceil_div(cols, 256), rows), 256>>>(q, scale, zero_point, y, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void dequant(const unsigned char* __restrict__ q,
                                   const float* __restrict__ scale,
                                   const unsigned char* __restrict__ zero_point,
                                   __half* __restrict__ y, int cols) {
  int row = blockIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < cols) {
    int i = row * cols + col;
    float value = fmaf((float)q[i], scale[row], -(float)zero_point[row] * scale[row]);
    y[i] = __float2half(value);
  }
}
