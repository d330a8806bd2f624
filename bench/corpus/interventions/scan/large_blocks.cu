// SPDX-License-Identifier: Apache-2.0
// Blocks of 1024 threads: half as many sums to scan.
/* kernelpro
buffer sums : f32[ceil_div(n, 1024)]
launch scan_blocks<<<ceil_div(n, 1024), 1024>>>(x, y, sums, n)
launch scan_sums<<<1, 1024>>>(sums, ceil_div(n, 1024))
launch add_sums<<<ceil_div(n, 1024), 1024>>>(sums, y, n)
*/
#define THREADS 1024

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
