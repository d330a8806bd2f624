// SPDX-License-Identifier: Apache-2.0
// RMS norm of halves, one warp a row, eight halves a load.
/* kernelpro
axis   rows = 8192, cols = 2048
check  rows = 256, cols = 2048
input  x : f16[rows, cols]
input  w : f16[cols]
output y : f16[rows, cols]
launch rmsnorm_half<<<ceil_div(rows, 4), 128>>>(x, w, y, rows, cols)
*/
#include <cuda_fp16.h>

extern "C" __global__ void rmsnorm_half(const __half* x, const __half* w, __half* y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const uint4* from = reinterpret_cast<const uint4*>(x + (long long)row * cols);
  const uint4* weight = reinterpret_cast<const uint4*>(w);
  uint4* to = reinterpret_cast<uint4*>(y + (long long)row * cols);
  float sum = 0;
  for (int c = lane; c < cols / 8; c += 32) {
    uint4 packed = from[c];
    const __half2* h = reinterpret_cast<const __half2*>(&packed);
    for (int i = 0; i < 4; ++i) {
      float2 f = __half22float2(h[i]);
      sum += f.x * f.x + f.y * f.y;
    }
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  float scale = rsqrtf(sum / cols + 1e-6f);
  for (int c = lane; c < cols / 8; c += 32) {
    uint4 packed = from[c], weights = weight[c];
    __half2* h = reinterpret_cast<__half2*>(&packed);
    const __half2* g = reinterpret_cast<const __half2*>(&weights);
    for (int i = 0; i < 4; ++i) {
      float2 f = __half22float2(h[i]), m = __half22float2(g[i]);
      h[i] = __floats2half2_rn(f.x * scale * m.x, f.y * scale * m.y);
    }
    to[c] = packed;
  }
}
