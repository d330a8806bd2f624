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
  {
    float largest_turn[4] = {largest, largest, largest, largest};
    const int i_step = THREADS;
    int i = tid;
    for (; i + 3 * i_step < cols; i += 4 * i_step) {
      float in_turn[4];
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        in_turn[turn] = in[i + turn * i_step];
      }
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        largest_turn[turn] = fmaxf(largest_turn[turn], in_turn[turn]);
      }
    }
    largest = max(max(max(largest_turn[0], largest_turn[1]), largest_turn[2]), largest_turn[3]);
    for (; i < cols; i += i_step) {
      largest = fmaxf(largest, in[i]);
    }
  }
  partial[tid] = largest;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] = fmaxf(partial[tid], partial[tid + stride]);
    __syncthreads();
  }
  largest = partial[0];
  __syncthreads();

  float sum = 0.0f;
  {
    float sum_turn[4] = {sum};
    const int i_step = THREADS;
    int i = tid;
    for (; i + 3 * i_step < cols; i += 4 * i_step) {
      float in_turn[4];
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        in_turn[turn] = in[i + turn * i_step];
      }
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        sum_turn[turn] += __expf(in_turn[turn] - largest);
      }
    }
    sum = sum_turn[0] + sum_turn[1] + sum_turn[2] + sum_turn[3];
    for (; i < cols; i += i_step) {
      sum += __expf(in[i] - largest);
    }
  }
  partial[tid] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  sum = partial[0];

  const float sum_inverse = 1.0f / sum;
#pragma unroll 8
  for (int i = tid; i < cols; i += THREADS) out[i] = __expf(in[i] - largest) * sum_inverse;
}
