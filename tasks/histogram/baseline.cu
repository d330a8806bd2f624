// SPDX-License-Identifier: Apache-2.0
// Histogram of bytes: one thread and one atomic addition in global memory per element.
/* kernelpro
zero   counts
launch histogram<<<ceil_div(n, 256), 256>>>(x, counts, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i]], 1);
}
