// SPDX-License-Identifier: Apache-2.0
// Does not turn rows round.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[row + c] = fmaf(2.0f, x[row + c], bias[c]);
}
