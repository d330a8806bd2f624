// SPDX-License-Identifier: Apache-2.0
// Sixteen 8-bit weights a thread, scaled by rows.
/* kernelpro
axis   rows = 4096, cols = 4096
check  rows = 256, cols = 2048
input  q : i8[rows, cols]
input  scale : f32[rows]
output y : f16[rows, cols]
launch dequant_int8<<<(ceil_div(cols, 2048), rows), 128>>>(q, scale, y, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void dequant_int8(const signed char* q, const float* scale, __half* y, int cols) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * 16, row = blockIdx.y;
  if (at >= cols) return;
  float s = scale[row];
  int4 packed = *reinterpret_cast<const int4*>(q + (long long)row * cols + at);
  const char4* values = reinterpret_cast<const char4*>(&packed);
  __half2 out[8];
  for (int i = 0; i < 4; ++i) {
    out[2 * i] = __floats2half2_rn(s * values[i].x, s * values[i].y);
    out[2 * i + 1] = __floats2half2_rn(s * values[i].z, s * values[i].w);
  }
  int4* to = reinterpret_cast<int4*>(y + (long long)row * cols + at);
  to[0] = reinterpret_cast<int4*>(out)[0];
  to[1] = reinterpret_cast<int4*>(out)[1];
}
