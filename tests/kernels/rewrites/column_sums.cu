// SPDX-License-Identifier: Apache-2.0
// Each load waits for the sum before it: a thread has one load in flight. `unroll` mends it.
/* kernelpro
axis   rows = 512, cols = 16384
check  rows = 67, cols = 300
input  x : f32[rows, cols] ~ uniform(-1, 1)
output y : f32[cols]
work   flops = rows * cols
launch column_sums<<<ceil_div(cols, 128), 128>>>(x, y, rows, cols)
oracle launch expected<<<ceil_div(cols, 128), 128>>>(x, y, rows, cols)
*/
extern "C" __global__ void column_sums(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r) sum += x[r * cols + c];
  y[c] = sum;
}

extern "C" __global__ void expected(const double* x, double* y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  double sum = 0;
  for (int r = 0; r < rows; ++r) sum += x[r * cols + c];
  y[c] = sum;
}
