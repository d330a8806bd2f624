// SPDX-License-Identifier: Apache-2.0
// Reads what cp.async brings without waiting for it.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
#include <cuda_pipeline.h>
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[128];
  for (int start = 0; start < cols; start += 128) {
    int c = start + threadIdx.x;
    if (c < cols) __pipeline_memcpy_async(tile + threadIdx.x, in + c, 4);
    __pipeline_commit();
    __syncthreads();
    if (c < cols) out[cols - 1 - c] = 2 * tile[threadIdx.x];
    __syncthreads();
  }
}
