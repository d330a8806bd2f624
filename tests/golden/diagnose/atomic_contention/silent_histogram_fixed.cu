// SPDX-License-Identifier: Apache-2.0
// A histogram of bytes: each block counts in shared memory and adds its bins once.
/* kernelpro
axis   n = 16777216
check  n = 777
input  x : u8[n] ~ int(0, 255)
inout  bins : i32[256] ~ int(0, 0)
work   flops = 0, bytes = n
launch histogram<<<min(ceil_div(n, 4096), 1056), 256>>>(x, bins, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* bins, int n) {
  __shared__ int counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    atomicAdd(&counts[x[i]], 1);
  }
  __syncthreads();
  if (counts[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
