// SPDX-License-Identifier: Apache-2.0
// The sum of each column, one thread a column; eight loads are on their way at a time.
/* kernelpro
axis   rows = 512, cols = 65536
check  rows = 40, cols = 77
input  x : f32[rows, cols] ~ normal
output y : f32[cols]
work   flops = rows * cols, bytes = 4 * rows * cols + 4 * cols
launch sums<<<ceil_div(cols, 256), 256>>>(x, y, rows, cols)
*/
extern "C" __global__ void sums(const float* x, float* y, int rows, int cols) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += 8) {
    const float* at = x + (size_t)row * cols + column;
    float a = at[0], b = at[cols], c = at[2 * cols], d = at[3 * cols];
    float e = at[4 * cols], f = at[5 * cols], g = at[6 * cols], h = at[7 * cols];
    asm volatile("" : "+f"(a), "+f"(b), "+f"(c), "+f"(d), "+f"(e), "+f"(f), "+f"(g), "+f"(h));
    sum += ((a + b) + (c + d)) + ((e + f) + (g + h));
  }
  y[column] = sum;
}
