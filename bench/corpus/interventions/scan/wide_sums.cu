// SPDX-License-Identifier: Apache-2.0
// The sums of blocks are scanned by threads that add eight of them first.
/* kernelpro
buffer sums : f32[ceil_div(n, 512)]
launch scan_blocks<<<ceil_div(n, 512), 512>>>(x, y, sums, n)
launch scan_sums<<<1, 512>>>(sums, ceil_div(n, 512))
launch add_sums<<<ceil_div(n, 512), 512>>>(sums, y, n)
*/
#define THREADS 512

// Scan of one value per thread (Hillis and Steele): every step doubles the reach.
__device__ float scan_block(float value) {
  __shared__ float sums[THREADS];
  int tid = threadIdx.x;
  sums[tid] = value;
  __syncthreads();
  for (int reach = 1; reach < THREADS; reach *= 2) {
    float before = tid >= reach ? sums[tid - reach] : 0.0f;
    __syncthreads();
    sums[tid] += before;
    __syncthreads();
  }
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
  for (int start = 0; start < blocks; start += THREADS * 8) {
    float own[8];
    const int first = start + threadIdx.x * 8;
    for (int k = 0; k < 8; ++k) own[k] = first + k < blocks ? sums[first + k] : 0.0f;
    for (int k = 1; k < 8; ++k) own[k] += own[k - 1];
    const float sum = scan_block(own[7]) + before;
    for (int k = 0; k < 8; ++k)
      if (first + k < blocks) sums[first + k] = sum - own[7] + own[k];
    __syncthreads();
    if (threadIdx.x == THREADS - 1) before = sum;
    __syncthreads();
  }
}

extern "C" __global__ void add_sums(const float* sums, float* y, int n) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n && blockIdx.x > 0) y[i] += sums[blockIdx.x - 1];
}
