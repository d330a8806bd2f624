// SPDX-License-Identifier: Apache-2.0
// Sum of an array: a tree in shared memory gives one number per block, which is added to the total.
/* kernelpro
tune BLOCKS in 1056, 528, 264, 2112
zero total
launch sum<<<min(ceil_div(n, 256), BLOCKS), 256>>>(x, total, n)
*/
#define THREADS 256

extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float partial[THREADS];
  int tid = threadIdx.x;
  float partial_sum = 0.0f;
  {
    float partial_sum_turn[4] = {partial_sum};
    const int i_step = THREADS * gridDim.x;
    int i = blockIdx.x * THREADS + tid;
    for (; i + 3 * i_step < n; i += 4 * i_step) {
      float x_turn[4];
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        x_turn[turn] = x[i + turn * i_step];
      }
#pragma unroll
      for (int turn = 0; turn < 4; ++turn) {
        partial_sum_turn[turn] += x_turn[turn];
      }
    }
    partial_sum = partial_sum_turn[0] + partial_sum_turn[1] + partial_sum_turn[2] + partial_sum_turn[3];
    for (; i < n; i += i_step) {
      partial_sum += x[i];
    }
  }
  partial[tid] = partial_sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(total, partial[0]);
}
