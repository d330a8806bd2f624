// SPDX-License-Identifier: Apache-2.0
// Blocks write their sums to an array, which one more launch adds.
/* kernelpro
buffer parts : f32[ceil_div(n, 256)]
launch sum<<<ceil_div(n, 256), 256>>>(x, parts, n)
launch join<<<1, 1024>>>(parts, total, ceil_div(n, 256))
*/
#define THREADS 256

extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float partial[THREADS];
  int tid = threadIdx.x;
  int i = blockIdx.x * THREADS + tid;
  partial[tid] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (tid < stride) partial[tid] += partial[tid + stride];
    __syncthreads();
  }
  if (tid == 0) total[blockIdx.x] = partial[0];
}

extern "C" __global__ void join(const float* parts, float* total, int n) {
  __shared__ float partial[1024];
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += 1024) sum += parts[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = 512; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) total[0] = partial[0];
}
