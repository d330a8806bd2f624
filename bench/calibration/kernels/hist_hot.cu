// SPDX-License-Identifier: Apache-2.0
// A privatised histogram whose values fall into four bins.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : u8[n] ~ int(0, 3)
inout  bins : u32[256] ~ int(0, 0)
launch hist_hot<<<528, 256>>>(x, bins, n)
*/
extern "C" __global__ void hist_hot(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  if (mine[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
