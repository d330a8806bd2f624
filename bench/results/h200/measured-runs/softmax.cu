// SPDX-License-Identifier: Apache-2.0
// Row softmax, one block per row: tree reductions in shared memory for the maximum and the sum.
/* kernelpro
launch softmax<<<rows, 256>>>(x, y, cols)
*/
#include <math_constants.h>

#define THREADS 256

extern "C" __global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float partial[THREADS];
  const float* in = x + (unsigned)blockIdx.x * cols;
  float* out = y + (unsigned)blockIdx.x * cols;
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
  for (int i = tid; i < cols; i += THREADS) sum += expf(in[i] - largest);
  partial[tid] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  sum = partial[0];

  const float sum_inverse = 1.0f / sum;
  for (int i = tid; i < cols; i += THREADS) out[i] = expf(in[i] - largest) * sum_inverse;
}
