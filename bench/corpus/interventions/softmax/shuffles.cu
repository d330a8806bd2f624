// SPDX-License-Identifier: Apache-2.0
// Reductions by shuffles.
/* kernelpro
launch softmax<<<rows, 256>>>(x, y, cols)
*/
#include <math_constants.h>

#define THREADS 256

__device__ float block_largest(float* partial, float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[threadIdx.x % 8];
  for (int offset = 4; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, offset));
  __syncthreads();
  return value;
}
__device__ float block_sum(float* partial, float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[threadIdx.x % 8];
  for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  __syncthreads();
  return value;
}

extern "C" __global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float partial[THREADS];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  int tid = threadIdx.x;

  float largest = -CUDART_INF_F;
  for (int i = tid; i < cols; i += THREADS) largest = fmaxf(largest, in[i]);
  largest = block_largest(partial, largest);

  float sum = 0.0f;
  for (int i = tid; i < cols; i += THREADS) sum += expf(in[i] - largest);
  sum = block_sum(partial, sum);

  for (int i = tid; i < cols; i += THREADS) out[i] = expf(in[i] - largest) / sum;
}
