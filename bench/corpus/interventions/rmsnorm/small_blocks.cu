// SPDX-License-Identifier: Apache-2.0
// Blocks of 32 threads, so that every SM has some.
/* kernelpro
launch rmsnorm<<<ceil_div(rows, 32), 32>>>(x, weight, eps, y, rows, cols)
*/
#include <cuda_bf16.h>

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                                   __nv_bfloat16* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (size_t)row * cols;
  __nv_bfloat16* out = y + (size_t)row * cols;

  float squares = 0.0f;
  for (int i = 0; i < cols; ++i) {
    float v = __bfloat162float(in[i]);
    squares += v * v;
  }
  float scale = rsqrtf(squares / cols + eps);

  for (int i = 0; i < cols; ++i) {
    out[i] = __float2bfloat16(__bfloat162float(in[i]) * scale * __bfloat162float(weight[i]));
  }
}
