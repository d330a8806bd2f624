// SPDX-License-Identifier: Apache-2.0
// Multiplies by scratch memory that nobody wrote.
/* kernelpro
buffer ones : f32[rows]
launch reverse<<<rows, 128>>>(x, y, ones, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, const float* ones, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c] * ones[blockIdx.x];
}
