// SPDX-License-Identifier: Apache-2.0
// The sum of small whole numbers. An addition for each block.
/* kernelpro
axis   n = 16777216
check  n = 8192
input  x : f32[n] ~ int(-2, 2)
output y : f32[1]
precision f32
work   flops = n
zero   y
launch sum<<<n / 8192, 512>>>(x, y)
*/
__device__ float block_sum(float sum) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  return sum;
}

extern "C" __global__ void sum(const float* __restrict__ x, float* __restrict__ y) {
  const float4* part = reinterpret_cast<const float4*>(x) + blockIdx.x * 2048 + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 2048; k += 512) sum += (part[k].x + part[k].y) + (part[k].z + part[k].w);
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(y, sum);
}
