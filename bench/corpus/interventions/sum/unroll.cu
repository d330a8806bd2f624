// SPDX-License-Identifier: Apache-2.0
// The levels of the tree are unrolled.
/* kernelpro
zero   total
launch sum<<<ceil_div(n, 256), 256>>>(x, total, n)
*/
#define THREADS 256

extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float partial[THREADS];
  int tid = threadIdx.x;
  int i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(total, partial[0]);
}
