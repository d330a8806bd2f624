// SPDX-License-Identifier: Apache-2.0
// The sum of small whole numbers by a full device of blocks.
/* kernelpro
axis   n = 134217728
check  n = 32768
input  x : f32[n] ~ int(-2, 2)
output y : f32[1]
precision f32
work   flops = n
zero   y
launch sum<<<n / 16384, 512>>>(x, y)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

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
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const float4 v = at(x, (blockIdx.x * 8 + k) * 512 + threadIdx.x);
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) atomicAdd(y, sum);
}
