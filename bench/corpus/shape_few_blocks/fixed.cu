// SPDX-License-Identifier: Apache-2.0
// The energy of each of a few long signals. 64 blocks for each signal.
/* kernelpro
axis   signals = 8, n = 2097152
check  signals = 3, n = 65536
input  x : f32[signals, n] ~ normal
output y : f32[signals]
precision f32
work   flops = 2 * signals * n
buffer parts : f32[signals, 64]
launch energies<<<signals * 64, 512>>>(x, parts, n / 256)
launch join<<<signals, 64>>>(parts, y)
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

__device__ float energy(const float4* __restrict__ x, int n) {
  float sum = 0;
#pragma unroll 4
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const float4 v = x[i];
    sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  return block_sum(sum);
}

extern "C" __global__ void energies(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float sum = energy(reinterpret_cast<const float4*>(x) + (size_t)blockIdx.x * n, n);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
extern "C" __global__ void join(const float* __restrict__ parts, float* __restrict__ y) {
  const float sum = block_sum(parts[blockIdx.x * 64 + threadIdx.x]);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
