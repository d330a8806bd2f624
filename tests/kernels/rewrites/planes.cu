// SPDX-License-Identifier: Apache-2.0
// Each store may change what is loaded next, as far as the compiler knows: eight loads wait for
// each other. `read_only_loads` mends it.
/* kernelpro
axis   count = 1048576
check  count = 1000
input  x : f32[8, count] ~ uniform(-1, 1)
output y : f32[8, count]
work   flops = 8 * count
launch planes<<<ceil_div(count, 128), 128>>>(x, y, count)
oracle launch expected<<<ceil_div(count, 128), 128>>>(x, y, count)
*/
extern "C" __global__ void planes(const float* x, float* y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma unroll
  for (int p = 0; p < 8; ++p) y[p * count + i] = x[p * count + i] * x[i];
}

extern "C" __global__ void expected(const double* x, double* y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int p = 0; p < 8; ++p) y[p * count + i] = x[p * count + i] * x[i];
}
