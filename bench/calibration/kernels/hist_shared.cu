// SPDX-License-Identifier: Apache-2.0
// A histogram of 256 bins, privatised in shared memory.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : u8[n]
inout  bins : u32[256] ~ int(0, 0)
launch hist_shared<<<528, 256>>>(x, bins, n)
*/
extern "C" __global__ void hist_shared(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
