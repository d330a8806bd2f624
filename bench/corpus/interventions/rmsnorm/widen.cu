// SPDX-License-Identifier: Apache-2.0
// Eight elements an access.
/* kernelpro
launch rmsnorm<<<ceil_div(rows, 128), 128>>>(x, weight, eps, y, rows, cols)
*/
#include <cuda_bf16.h>

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                                   __nv_bfloat16* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (size_t)row * cols;
  __nv_bfloat16* out = y + (size_t)row * cols;
  const int whole = cols % 8 == 0 ? cols : 0;
  __align__(16) __nv_bfloat16 part[8];

  float squares = 0.0f;
  for (int i = 0; i < whole; i += 8) {
    *reinterpret_cast<uint4*>(part) = *reinterpret_cast<const uint4*>(in + i);
#pragma unroll
    for (int k = 0; k < 8; ++k) squares += __bfloat162float(part[k]) * __bfloat162float(part[k]);
  }
  for (int i = whole; i < cols; ++i) squares += __bfloat162float(in[i]) * __bfloat162float(in[i]);
  float scale = rsqrtf(squares / cols + eps);

  for (int i = 0; i < whole; i += 8) {
    *reinterpret_cast<uint4*>(part) = *reinterpret_cast<const uint4*>(in + i);
#pragma unroll
    for (int k = 0; k < 8; ++k)
      part[k] =
          __float2bfloat16(__bfloat162float(part[k]) * scale * __bfloat162float(weight[i + k]));
    *reinterpret_cast<uint4*>(out + i) = *reinterpret_cast<const uint4*>(part);
  }
  for (int i = whole; i < cols; ++i)
    out[i] = __float2bfloat16(__bfloat162float(in[i]) * scale * __bfloat162float(weight[i]));
}
