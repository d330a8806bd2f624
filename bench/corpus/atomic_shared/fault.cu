// SPDX-License-Identifier: Apache-2.0
// How often the lower half of a byte has each value, where few values occur. One copy of the bins.
/* kernelpro
axis   n = 67108864
check  n = 131072
input  x : u8[n] ~ int(0, 2)
output bins : i32[16]
work   flops = 0, bytes = n
zero   bins
launch count<<<n / 65536, 256>>>(x, bins)
*/
extern "C" __global__ void count(const unsigned char* __restrict__ bytes, int* __restrict__ bins) {
  const uint4* x = reinterpret_cast<const uint4*>(bytes);
  __shared__ int mine[16][1];
  for (int k = threadIdx.x; k < 16 * 1; k += 256) mine[0][k] = 0;
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    const uint4 part = x[(blockIdx.x * 16 + k) * 256 + threadIdx.x];
#pragma unroll
    for (int at = 0; at < 32; at += 8) {
      atomicAdd(&mine[part.x >> at & 15][0], 1);
      atomicAdd(&mine[part.y >> at & 15][0], 1);
      atomicAdd(&mine[part.z >> at & 15][0], 1);
      atomicAdd(&mine[part.w >> at & 15][0], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x][0]);
}
