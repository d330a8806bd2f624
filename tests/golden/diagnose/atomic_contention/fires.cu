// SPDX-License-Identifier: Apache-2.0
// A sum in which every thread adds to one address.
/* kernelpro
axis   n = 4194304
check  n = 777
input  x : f32[n] ~ uniform(0, 1)
inout  y : f32[1] ~ uniform(0, 1)
work   flops = n, bytes = 4 * n
launch sum<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void sum(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}
