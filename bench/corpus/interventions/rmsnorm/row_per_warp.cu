// SPDX-License-Identifier: Apache-2.0
// A warp for each row.
/* kernelpro
launch rmsnorm<<<ceil_div(rows, 4), 128>>>(x, weight, eps, y, rows, cols)
*/
#include <cuda_bf16.h>

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                                   __nv_bfloat16* y, int rows, int cols) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (size_t)row * cols;
  __nv_bfloat16* out = y + (size_t)row * cols;

  float squares = 0.0f;
  for (int i = lane; i < cols; i += 32) {
    float v = __bfloat162float(in[i]);
    squares += v * v;
  }
  for (int offset = 16; offset > 0; offset /= 2) squares += __shfl_xor_sync(~0u, squares, offset);
  float scale = rsqrtf(squares / cols + eps);

  for (int i = lane; i < cols; i += 32) {
    out[i] = __float2bfloat16(__bfloat162float(in[i]) * scale * __bfloat162float(weight[i]));
  }
}
