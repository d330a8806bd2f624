// SPDX-License-Identifier: Apache-2.0
// Sum and largest of the magnitudes of each row. One kernel for both.
/* kernelpro
axis   rows = 8192, cols = 8192
check  rows = 5, cols = 4096
input  x : f32[rows, cols] ~ normal
output sums : f32[rows]
output peaks : f32[rows]
precision f32
work   flops = 2 * rows * cols
launch both<<<rows, 256>>>(x, sums, peaks, cols / 4)
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

__device__ float block_largest(float largest) {
  __shared__ float partial[32];
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = largest;
  __syncthreads();
  largest = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
  return largest;
}
__device__ float sum_of(float4 v) { return (fabsf(v.x) + fabsf(v.y)) + (fabsf(v.z) + fabsf(v.w)); }
__device__ float largest_of(float4 v) {
  return fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
}

extern "C" __global__ void both(const float* __restrict__ x, float* __restrict__ sums,
                                float* __restrict__ peaks, int cols) {
  float sum = 0, peak = 0;
#pragma unroll 4
  for (int c = threadIdx.x; c < cols; c += 256) {
    const float4 v = at(x, blockIdx.x * cols + c);
    sum += sum_of(v);
    peak = fmaxf(peak, largest_of(v));
  }
  sum = block_sum(sum);
  peak = block_largest(peak);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    peaks[blockIdx.x] = peak;
  }
}
