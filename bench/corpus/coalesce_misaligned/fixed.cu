// SPDX-License-Identifier: Apache-2.0
// Rows of a table, gathered. The packed table has rows only.
/* kernelpro
axis   n = 2097152, rows = 2097152
check  n = 512, rows = 777
weight table : f32[rows, 16] ~ normal
input  index : i32[n] ~ int(0, rows - 1)
output y : f32[n, 16]
precision f32
work   flops = 0, bytes = 132 * n
buffer packed : f32[rows * 16]
prepare launch pack<<<ceil_div(rows * 16, 256), 256>>>(table, packed, rows * 16)
launch gather<<<n / 128, 256>>>(packed, index, y)
*/
extern "C" __global__ void pack(const float* __restrict__ table, float* __restrict__ packed,
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  packed[i] = table[i];
}
extern "C" __global__ void gather(const float* __restrict__ packed, const int* __restrict__ index,
                                  float* __restrict__ y) {
  const int first = blockIdx.x * 2048 + threadIdx.x;
  int row[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) row[k] = index[(first + k * 256) / 16];
#pragma unroll
  for (int k = 0; k < 8; ++k) y[first + k * 256] = packed[row[k] * 16 + threadIdx.x % 16];
}
