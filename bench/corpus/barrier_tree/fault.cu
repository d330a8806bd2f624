// SPDX-License-Identifier: Apache-2.0
// Rows of 1024, centred and scaled. Trees in shared memory.
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
  const float value = x[i];
  const float mean = block_sum(value) / 1024;
  const float variance = block_sum((value - mean) * (value - mean)) / 1024;
  y[i] = (value - mean) * rsqrtf(variance + 1e-5f);
}
