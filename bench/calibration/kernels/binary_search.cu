// SPDX-License-Identifier: Apache-2.0
// A search in a sorted table: dependent loads that diverge.
/* kernelpro
axis   n = 1048576, m = 1048576
check  n = 16384, m = 65536
input  x : i32[n] ~ int(0, 1048575)
output y : i32[n]
input  table : i32[m] ~ int(0, 1000)
launch binary_search<<<n / 256, 256>>>(x, table, y, m)
*/
extern "C" __global__ void binary_search(const int* x, const int* table, int* y, int m) {
  int i = blockIdx.x * 256 + threadIdx.x, low = 0, high = m, want = x[i];
  while (low < high) {
    int middle = (low + high) / 2;
    if ((table[middle] >> 31) + middle < want) low = middle + 1;
    else high = middle;
  }
  y[i] = low;
}
