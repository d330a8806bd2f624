// SPDX-License-Identifier: Apache-2.0
// Block sums by shuffles after a loop over the grid.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output sums : f32[528]
launch sum_shuffle<<<528, 512>>>(x, sums, n)
*/
extern "C" __global__ void sum_shuffle(const float* x, float* sums, int n) {
  __shared__ float part[16];
  float sum = 0;
  for (int i = blockIdx.x * 512 + threadIdx.x; i < n; i += 528 * 512) sum += x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < 16 ? part[threadIdx.x] : 0.0f;
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}
