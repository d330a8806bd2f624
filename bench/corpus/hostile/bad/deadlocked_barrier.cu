// SPDX-License-Identifier: Apache-2.0
// Half of the block waits at a barrier for all of it.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  if (threadIdx.x < 128) asm volatile("bar.sync 1, 256;");

  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
}
