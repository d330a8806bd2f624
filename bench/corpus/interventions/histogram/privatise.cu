// SPDX-License-Identifier: Apache-2.0
// Blocks count in shared memory.
/* kernelpro
zero   counts
launch histogram<<<min(ceil_div(n, 256), 1056), 256>>>(x, counts, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* counts, int n) {
  __shared__ int mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd(&mine[x[i]], 1);
  __syncthreads();
  if (mine[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
