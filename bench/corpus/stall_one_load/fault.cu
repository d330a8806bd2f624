// SPDX-License-Identifier: Apache-2.0
// The energy of each signal, up to a limit. A check after each load.
/* kernelpro
axis   signals = 264, n = 131072
check  signals = 8, n = 16384
input  x : f32[signals, n] ~ normal
output y : f32[signals]
precision f32
work   flops = 2 * signals * n
launch energies<<<signals, 256>>>(x, y, n / 4)
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

extern "C" __global__ void energies(const float* __restrict__ x, float* __restrict__ y, int n) {
  const float4* row = reinterpret_cast<const float4*>(x) + (size_t)blockIdx.x * n;
  float sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n && sum < 1.0e30f; i += 256) {
    const float4 v = row[i];
    sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = fminf(sum, 1.0e30f);
}
