// SPDX-License-Identifier: Apache-2.0
// A stream through shared memory by asynchronous copies in two stages.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch async_stream<<<n / 8192, 256>>>(x, y)
*/
#include <cuda_pipeline.h>

extern "C" __global__ void async_stream(const float* x, float* y) {
  __shared__ float4 stage[2][256];
  const float4* from = reinterpret_cast<const float4*>(x) + blockIdx.x * 2048 + threadIdx.x;
  float4* to = reinterpret_cast<float4*>(y) + blockIdx.x * 2048 + threadIdx.x;
  __pipeline_memcpy_async(&stage[0][threadIdx.x], from, 16);
  __pipeline_commit();
  for (int s = 0; s < 8; ++s) {
    if (s < 7) __pipeline_memcpy_async(&stage[(s + 1) % 2][threadIdx.x], from + (s + 1) * 256, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[s % 2][255 - threadIdx.x];
    __syncthreads();
    to[s * 256] = make_float4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
  }
}
