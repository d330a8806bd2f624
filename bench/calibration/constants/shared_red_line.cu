// SPDX-License-Identifier: Apache-2.0
// Shared atomics side by side.
/* kernelpro
axis   n = 262144
check  n = 16384
output y : u32[n]
launch shared_red_line<<<n / 256, 256>>>(y)
*/
extern "C" __global__ void shared_red_line(unsigned* y) {
  __shared__ unsigned v[256];
  v[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r < 32; ++r) atomicAdd(&v[(threadIdx.x + r) % 256], threadIdx.x + r);
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = v[threadIdx.x];
}
