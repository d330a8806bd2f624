// SPDX-License-Identifier: Apache-2.0
// Asks for more shared memory than an SM has.
/* kernelpro
launch mirror<<<rows, 256, 300000>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
}
