// SPDX-License-Identifier: Apache-2.0
// Blocks of 1024 threads.
/* kernelpro
zero   counts
launch histogram<<<ceil_div(n, 1024), 1024>>>(x, counts, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}
