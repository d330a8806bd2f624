// SPDX-License-Identifier: Apache-2.0
// How often each of 64 values occurs. Counts are kept in shared memory.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : i32[n] ~ int(0, 63)
output bins : i32[64]
work   flops = 0
zero   bins
launch count<<<n / 8192, 256>>>(x, bins)
*/
extern "C" __global__ void count(const int* __restrict__ x, int* __restrict__ bins) {
  __shared__ int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) atomicAdd(&mine[x[blockIdx.x * 8192 + k * 256 + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
