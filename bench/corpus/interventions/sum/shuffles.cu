// SPDX-License-Identifier: Apache-2.0
// Shuffles instead of the tree.
/* kernelpro
zero   total
launch sum<<<ceil_div(n, 256), 256>>>(x, total, n)
*/
extern "C" __global__ void sum(const float* x, float* total, int n) {
  __shared__ float partial[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? x[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f;
  for (int offset = 4; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
  if (threadIdx.x == 0) atomicAdd(total, value);
}
