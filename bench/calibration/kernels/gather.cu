// SPDX-License-Identifier: Apache-2.0
// Random floats of a table larger than the L2.
/* kernelpro
axis   n = 4194304, m = 33554432
check  n = 16384, m = 65536
input  index : i32[n] ~ int(0, m - 1)
input  table : f32[m]
output y : f32[n]
launch gather<<<ceil_div(n, 256), 256>>>(index, table, y, n)
*/
extern "C" __global__ void gather(const int* index, const float* table, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = table[index[i]];
}
