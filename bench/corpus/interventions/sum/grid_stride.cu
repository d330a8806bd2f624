// SPDX-License-Identifier: Apache-2.0
// Eight blocks for each SM, which take many pieces before they add.
/* kernelpro
zero   total
launch sum<<<min(ceil_div(n, 256), 1056), 256>>>(x, total, n)
*/
#define THREADS 256

extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float partial[THREADS];
  int tid = threadIdx.x;
  float own = 0.0f;
  for (int i = blockIdx.x * THREADS + tid; i < n; i += gridDim.x * THREADS) own += x[i];
  partial[tid] = own;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(total, partial[0]);
}
