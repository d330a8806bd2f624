// SPDX-License-Identifier: Apache-2.0
// A sum in which each block adds once.
/* kernelpro
axis   n = 4194304
check  n = 777
input  x : f32[n] ~ uniform(0, 1)
inout  y : f32[1] ~ uniform(0, 1)
work   flops = n, bytes = 4 * n
launch sum<<<min(ceil_div(n, 1024), 1056), 256>>>(x, y, n)
*/
__device__ float warp_sum(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  return sum;
}

extern "C" __global__ void sum(const float* x, float* y, int n) {
  __shared__ float partial[8];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = warp_sum(threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) atomicAdd(y, sum);
}
