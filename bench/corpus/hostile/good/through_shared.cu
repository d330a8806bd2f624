// SPDX-License-Identifier: Apache-2.0
// Rows go through shared memory.
/* kernelpro
launch mirror<<<rows, 256, cols * 4>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  extern __shared__ float kept[];
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) kept[cols - 1 - c] = x[row + c];
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[row + c] = fmaf(2.0f, kept[c], bias[c]);
}
