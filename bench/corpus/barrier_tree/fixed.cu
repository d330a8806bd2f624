// SPDX-License-Identifier: Apache-2.0
// Rows of 4096, centred and scaled. Shuffles.
/* kernelpro
axis   rows = 8192
check  rows = 16
input  x : f32[rows, 4096] ~ normal
output y : f32[rows, 4096]
precision f32
work   flops = 32768 * rows
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
  float4 v = reinterpret_cast<const float4*>(x)[i];
  const float mean = block_sum((v.x + v.y) + (v.z + v.w)) / 4096;
  v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
  const float variance = block_sum((v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w)) / 4096;
  const float scale = rsqrtf(variance + 1e-5f);
  reinterpret_cast<float4*>(y)[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
}
