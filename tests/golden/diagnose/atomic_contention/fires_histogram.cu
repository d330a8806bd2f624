// SPDX-License-Identifier: Apache-2.0
// A histogram of bytes whose bins all threads share in global memory.
/* kernelpro
axis   n = 16777216
check  n = 777
input  x : u8[n] ~ int(0, 255)
inout  bins : i32[256] ~ int(0, 0)
work   flops = 0, bytes = n
launch histogram<<<ceil_div(n, 256), 256>>>(x, bins, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1);
}
