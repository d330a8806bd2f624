// SPDX-License-Identifier: Apache-2.0
// Additions that spread over a large table, one for 32 elements that were added up before.
/* kernelpro
axis   n = 262144, slots = 65536
check  n = 777, slots = 100
input  x : f32[32, n] ~ uniform(0, 1)
input  slot : i32[n] ~ int(0, slots - 1)
inout  y : f32[slots] ~ uniform(0, 1)
work   flops = 32 * n, bytes = 132 * n + 8 * slots
launch scatter<<<ceil_div(n, 256), 256>>>(x, slot, y, n)
*/
extern "C" __global__ void scatter(const float* x, const int* slot, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += x[(size_t)k * n + i];
  atomicAdd(&y[slot[i]], sum);
}
