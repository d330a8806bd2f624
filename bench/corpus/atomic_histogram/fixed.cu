// SPDX-License-Identifier: Apache-2.0
// How often each of 1024 values occurs. Counts are kept in shared memory.
/* kernelpro
axis   n = 8388608
check  n = 65536
input  x : i32[n] ~ int(0, 1023)
output bins : i32[1024]
work   flops = 0
zero   bins
launch count<<<n / 32768, 1024>>>(x, bins)
*/
extern "C" __global__ void count(const int* __restrict__ x, int* __restrict__ bins) {
  __shared__ int mine[1024];
  mine[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; ++k) atomicAdd(&mine[x[blockIdx.x * 32768 + k * 1024 + threadIdx.x]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
