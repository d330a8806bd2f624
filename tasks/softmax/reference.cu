// SPDX-License-Identifier: Apache-2.0
// Row softmax in double, a warp per row.
/* kernelpro
launch exact<<<ceil_div(rows, 8), (32, 8)>>>(x, y, rows, cols)
*/
extern "C" __global__ void exact(const double* x, double* y, int rows, int cols) {
  const long long row = (long long)blockIdx.x * 8 + threadIdx.y;
  if (row >= rows) return;
  const double* in = x + row * cols;
  double largest = in[0];
  for (int i = threadIdx.x; i < cols; i += 32)
    // A NaN stays: fmax would drop it.
    largest = in[i] > largest || in[i] != in[i] ? in[i] : largest;
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffff, largest, step);
    largest = other > largest || other != other ? other : largest;
  }
  double sum = 0;
  for (int i = threadIdx.x; i < cols; i += 32) sum += exp(in[i] - largest);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  for (int i = threadIdx.x; i < cols; i += 32) y[row * cols + i] = exp(in[i] - largest) / sum;
}
