// SPDX-License-Identifier: Apache-2.0
// A reduction by 16 blocks on 132 SMs.
/* kernelpro
axis   n = 2097152
check  n = 16384
input  x : f32[n]
output y : f32[16]
launch small_grid<<<16, 1024>>>(x, y, n)
*/
extern "C" __global__ void small_grid(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = blockIdx.x * 1024 + threadIdx.x; i < n; i += 16 * 1024) sum += x[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  __shared__ float part[32];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 32; ++w) sum += part[w];
    y[blockIdx.x] = sum;
  }
}
