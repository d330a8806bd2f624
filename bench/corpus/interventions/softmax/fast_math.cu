// SPDX-License-Identifier: Apache-2.0
// Approximate exponentials and divisions.
/* kernelpro
launch softmax<<<rows, 256>>>(x, y, cols)
*/
#include <math_constants.h>

#define THREADS 256

extern "C" __global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float partial[THREADS];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  int tid = threadIdx.x;

  float largest = -CUDART_INF_F;
  for (int i = tid; i < cols; i += THREADS) largest = fmaxf(largest, in[i]);
  partial[tid] = largest;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] = fmaxf(partial[tid], partial[tid + stride]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();

  float sum = 0.0f;
  for (int i = tid; i < cols; i += THREADS) sum += __expf(in[i] - largest);
  partial[tid] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  sum = partial[0];

  for (int i = tid; i < cols; i += THREADS) out[i] = __fdividef(__expf(in[i] - largest), sum);
}
