// SPDX-License-Identifier: Apache-2.0
// Additions that spread over a large table: hardly two meet, but there are many.
/* kernelpro
axis   n = 4194304, slots = 1048576
check  n = 777, slots = 100
input  x : f32[n] ~ uniform(0, 1)
input  slot : i32[n] ~ int(0, slots - 1)
inout  y : f32[slots] ~ uniform(0, 1)
work   flops = n, bytes = 8 * n + 8 * slots
launch scatter<<<ceil_div(n, 256), 256>>>(x, slot, y, n)
*/
extern "C" __global__ void scatter(const float* x, const int* slot, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[slot[i]], x[i]);
}
