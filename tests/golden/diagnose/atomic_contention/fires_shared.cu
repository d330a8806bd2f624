// SPDX-License-Identifier: Apache-2.0
// A histogram in shared memory whose values are nearly all the same: lanes meet.
/* kernelpro
axis   n = 67108864
check  n = 1024
input  x : u8[n] ~ int(0, 1)
inout  bins : i32[256] ~ int(0, 0)
work   flops = 0, bytes = n
launch histogram<<<min(ceil_div(n, 4096), 1056), 256>>>(x, bins, n / 16)
*/
extern "C" __global__ void histogram(const uint4* x, int* bins, int n) {
  __shared__ int counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const uint4 part = x[i];
    for (unsigned word : {part.x, part.y, part.z, part.w}) {
      for (int byte = 0; byte < 4; ++byte) atomicAdd(&counts[word >> 8 * byte & 255], 1);
    }
  }
  __syncthreads();
  if (counts[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}
