// SPDX-License-Identifier: Apache-2.0
// Softmax, one block a row, accurate exponentials.
/* kernelpro
axis   rows = 4096, cols = 4096
check  rows = 256, cols = 2048
input  x : f32[rows, cols]
output y : f32[rows, cols]
launch softmax_block<<<rows, 256>>>(x, y, cols)
*/
__device__ float block_sum(float value, float* part) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) sum += part[w];
  __syncthreads();
  return sum;
}

extern "C" __global__ void softmax_block(const float* x, float* y, int cols) {
  __shared__ float part[32];
  const float* row = x + (long long)blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += expf(row[c]);
  float inverse = 1.0f / block_sum(sum, part);
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[(long long)blockIdx.x * cols + c] = expf(row[c]) * inverse;
}
