// SPDX-License-Identifier: Apache-2.0
// How often each of 1024 values occurs. Counts are kept in global memory.
/* kernelpro
axis   n = 8388608
check  n = 65536
input  x : i32[n] ~ int(0, 1023)
output bins : i32[1024]
work   flops = 0
zero   bins
launch count<<<n / 256, 256>>>(x, bins)
*/
extern "C" __global__ void count(const int* __restrict__ x, int* __restrict__ bins) {
  atomicAdd(&bins[x[blockIdx.x * 256 + threadIdx.x]], 1);
}
