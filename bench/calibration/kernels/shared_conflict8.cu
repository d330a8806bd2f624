// SPDX-License-Identifier: Apache-2.0
// Shared loads with eight lanes on each bank.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch shared_conflict8<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void shared_conflict8(const float* x, float* y) {
  __shared__ float v[2048];
  int i = blockIdx.x * 256 + threadIdx.x;
  for (int j = threadIdx.x; j < 2048; j += 256) v[j] = x[i] + j;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < 32; ++r) sum += v[(threadIdx.x * 8 + r * 9) % 2048];
  y[i] = sum;
}
