// SPDX-License-Identifier: Apache-2.0
// Blocks of 1024 threads.
/* kernelpro
launch dequant<<<(ceil_div(cols, 1024), rows), 1024>>>(q, scale, zero_point, y, cols)
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
    float value = ((float)q[i] - (float)zero_point[row]) * scale[row];
    y[i] = __float2half(value);
  }
}
