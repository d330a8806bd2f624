// SPDX-License-Identifier: Apache-2.0
// Rows of 128 halves of a table, one warp a row.
/* kernelpro
axis   n = 65536, m = 131072
check  n = 16384, m = 65536
input  index : i32[n] ~ int(0, m - 1)
input  table : f16[m, 128]
output y : f16[n, 128]
launch embedding<<<ceil_div(n, 8), 256>>>(index, table, y, n)
*/
#include <cuda_fp16.h>

extern "C" __global__ void embedding(const int* index, const __half* table, __half* y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  const uint2* from = reinterpret_cast<const uint2*>(table + 128ll * index[row]);
  reinterpret_cast<uint2*>(y + 128ll * row)[lane] = from[lane];
}
