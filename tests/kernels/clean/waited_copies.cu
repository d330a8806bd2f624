// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies, two groups in flight, one of them empty at the end.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
#include <cuda_pipeline.h>
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[2][128];
  auto fetch = [&](int start, int slot) {
    int c = start + threadIdx.x;
    if (c < cols) __pipeline_memcpy_async(tile[slot] + threadIdx.x, in + c, 4);
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int start = 0, slot = 0; start < cols; start += 128, slot ^= 1) {
    fetch(start + 128, slot ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    int width = min(128, cols - start), c = threadIdx.x;
    if (c < width) out[cols - start - width + c] = 2 * tile[slot][width - 1 - c];
    __syncthreads();
  }
}
