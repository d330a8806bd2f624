// SPDX-License-Identifier: Apache-2.0
// The sum of small whole numbers. An addition in global memory for each warp.
/* kernelpro
axis   n = 16777216
check  n = 8192
input  x : f32[n] ~ int(-2, 2)
output y : f32[1]
precision f32
work   flops = n
zero   y
launch sum<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void sum(const float* __restrict__ x, float* __restrict__ y) {
  float sum = x[blockIdx.x * 256 + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(y, sum);
}
