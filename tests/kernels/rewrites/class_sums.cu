// SPDX-License-Identifier: Apache-2.0
// The four sums of a thread live in local memory, because labels index them. `constant_index` mends
// it.
/* kernelpro
axis   rows = 128, cols = 65536
check  rows = 33, cols = 300
input  x : f32[rows, cols] ~ uniform(-1, 1)
input  label : i32[rows, cols] ~ int(0, 3)
output y : f32[4, cols]
work   flops = rows * cols
launch class_sums<<<ceil_div(cols, 128), 128>>>(x, label, y, rows, cols)
oracle launch expected<<<ceil_div(cols, 128), 128>>>(x, label, y, rows, cols)
*/
extern "C" __global__ void class_sums(const float* x, const int* label, float* y, int rows,
                                      int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float sums[4];
  for (int k = 0; k < 4; ++k) sums[k] = 0.0f;
  for (int r = 0; r < rows; ++r) {
    int k = label[r * cols + c];
    sums[k] += x[r * cols + c];
  }
  for (int k = 0; k < 4; ++k) y[k * cols + c] = sums[k];
}

extern "C" __global__ void expected(const double* x, const int* label, double* y, int rows,
                                    int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  for (int k = 0; k < 4; ++k) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) sum += label[r * cols + c] == k ? x[r * cols + c] : 0;
    y[k * cols + c] = sum;
  }
}
