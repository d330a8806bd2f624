// SPDX-License-Identifier: Apache-2.0
// Rows of 1024, centred and scaled. Shuffles.
/* kernelpro
axis   rows = 32768
check  rows = 16
input  x : f32[rows, 1024] ~ normal
output y : f32[rows, 1024]
precision f32
work   flops = 8192 * rows
launch centre<<<rows, 1024>>>(x, y)
*/
__device__ float block_sum(float value) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[threadIdx.x % 32];
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  __syncthreads();
  return value;
}

extern "C" __global__ void centre(const float* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  const float value = x[i];
  const float mean = block_sum(value) / 1024;
  const float variance = block_sum((value - mean) * (value - mean)) / 1024;
  y[i] = (value - mean) * rsqrtf(variance + 1e-5f);
}
