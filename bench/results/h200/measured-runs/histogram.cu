// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: one thread and one atomic addition in global memory per element.
/* kernelpro
tune BLOCKS in 1056, 528, 264, 2112
zero counts
launch histogram<<<min(ceil_div(n, 256), BLOCKS), 256>>>(x, counts, n)
*/
extern "C" __global__ void histogram(const unsigned char* __restrict__ x, int* __restrict__ counts, int n) {
  __shared__ int counts_copy[256];
#pragma unroll 8
  for (int kp_bin = threadIdx.x; kp_bin < 256; kp_bin += blockDim.x) counts_copy[kp_bin] = 0;
  __syncthreads();
#pragma unroll 8
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&counts_copy[x[i]], 1);
  __syncthreads();
#pragma unroll 8
  for (int kp_bin = threadIdx.x; kp_bin < 256; kp_bin += blockDim.x) {
    if (counts_copy[kp_bin] != 0) atomicAdd(&counts[kp_bin], counts_copy[kp_bin]);
  }
}
