// SPDX-License-Identifier: Apache-2.0
// Reads one element past the last row.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c + 1];
}
