// SPDX-License-Identifier: Apache-2.0
// Waits for a value that nobody writes.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  volatile const float* flag = bias;
  while (flag[0] < 1.0e30f) {
  }

  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
}
