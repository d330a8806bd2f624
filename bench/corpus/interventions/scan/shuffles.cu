// SPDX-License-Identifier: Apache-2.0
// Scans of blocks by shuffles.
/* kernelpro
buffer sums : f32[ceil_div(n, 512)]
launch scan_blocks<<<ceil_div(n, 512), 512>>>(x, y, sums, n)
launch scan_sums<<<1, 512>>>(sums, ceil_div(n, 512))
launch add_sums<<<ceil_div(n, 512), 512>>>(sums, y, n)
*/
#define THREADS 512

// Scan of one value per thread: within warps by shuffles, then over the warps.
__device__ float scan_block(float value) {
  __shared__ float sums[THREADS / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int reach = 1; reach < 32; reach *= 2) {
    const float before = __shfl_up_sync(~0u, value, reach);
    if (lane >= reach) value += before;
  }
  __syncthreads();
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  float before = 0.0f;
  for (int w = 0; w < warp; ++w) before += sums[w];
  return value + before;
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
