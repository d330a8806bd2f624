// SPDX-License-Identifier: Apache-2.0
// The sum of small whole numbers. An addition for each block.
/* kernelpro
axis   n = 4194304
check  n = 2048
input  x : f32[n] ~ int(0, 3)
output y : f32[1]
precision f32
work   flops = n
zero   y
launch sum<<<n / 2048, 256>>>(x, y)
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
  const float4* part = reinterpret_cast<const float4*>(x) + blockIdx.x * 512 + threadIdx.x;
  const float4 a = part[0], b = part[256];
  const float sum = block_sum(((a.x + a.y) + (a.z + a.w)) + ((b.x + b.y) + (b.z + b.w)));
  if (threadIdx.x == 0) atomicAdd(y, sum);
}
