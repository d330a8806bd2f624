// SPDX-License-Identifier: Apache-2.0
// Block sums by a tree in shared memory.
/* kernelpro
axis   n = 8388608
check  n = 16384
input  x : f32[n]
output sums : f32[ceil_div(n, 256)]
launch sum_tree<<<ceil_div(n, 256), 256>>>(x, sums, n)
*/
extern "C" __global__ void sum_tree(const float* x, float* sums, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
