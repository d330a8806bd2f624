// SPDX-License-Identifier: Apache-2.0
// Asks for more scratch memory than the device has.
/* kernelpro
buffer scratch : u32[rows * 67108864]
launch mirror<<<rows, 256>>>(x, bias, y, scratch, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, unsigned* scratch,
                                  int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
  if (threadIdx.x == 0) scratch[blockIdx.x] = 1;
}
