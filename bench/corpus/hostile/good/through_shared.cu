// SPDX-License-Identifier: Apache-2.0
// Rows go through shared memory.
/* kernelpro
launch mirror<<<rows, 256, cols * 4>>>(x, bias, y, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  extern __shared__ float kept[];
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) kept[cols - 1 - c] = x[row + c];
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[row + c] = grown(kept[c], bias[c]);
}
