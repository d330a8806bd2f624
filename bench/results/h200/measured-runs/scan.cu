// SPDX-License-Identifier: Apache-2.0
// Inclusive scan in three launches: within each block, over the sums of the blocks, and the
// addition of what stands before each block.
/* kernelpro
buffer sums : f32[ceil_div(n, 512)]
launch scan_blocks<<<ceil_div(n, 512), 512>>>(x, y, sums, n)
launch scan_sums<<<1, 512>>>(sums, ceil_div(n, 512))
launch add_sums<<<ceil_div(n, 512), 512>>>(sums, y, n)
*/
#define THREADS 512

static __device__ __forceinline__ float kp_warp_add(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = value + __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

static __device__ __forceinline__ float kp_block_scan_add(float value) {
  __shared__ float partial[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const float below = __shfl_up_sync(0xffffffffu, value, distance);
    if (lane >= distance) value = value + below;
  }
  __syncthreads();  // an earlier call may still be reading
  if (lane == 31) partial[warp] = value;
  __syncthreads();
  const float before = lane < warp ? partial[lane] : 0;
  return value + kp_warp_add(before);
}

// Scan of one value per thread (Hillis and Steele): every step doubles the reach.
__device__ float scan_block(float value) {
  __shared__ float sums[THREADS];
  int tid = threadIdx.x;
  sums[tid] = value;
  sums[tid] = kp_block_scan_add(sums[tid]);
  __syncthreads();
  return sums[tid];
}

extern "C" __global__ void scan_blocks(const float* x, float* y, float* sums, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  float sum = scan_block(i < n ? x[i] : 0.0f);
  if (i < n) y[i] = sum;
  if (threadIdx.x == THREADS - 1) sums[blockIdx.x] = sum;
}

extern "C" __global__ void scan_sums(float* sums, int blocks) {
  __shared__ float before;
  if (threadIdx.x == 0) before = 0.0f;
#pragma unroll 8
  for (int start = 0; start < blocks; start += THREADS) {
    int i = start + threadIdx.x;
    float sum = scan_block(i < blocks ? sums[i] : 0.0f) + before;
    if (i < blocks) sums[i] = sum;
    __syncthreads();
    if (threadIdx.x == THREADS - 1) before = sum;
    __syncthreads();
  }
}

extern "C" __global__ void add_sums(const float* sums, float* y, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
