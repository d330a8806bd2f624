// SPDX-License-Identifier: Apache-2.0
// Rows of 4096, centred and scaled. Trees in shared memory.
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
  __shared__ float partial[1024];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int stride = 512; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  const float sum = partial[0];
  __syncthreads();
  return sum;
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
