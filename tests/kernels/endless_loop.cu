// SPDX-License-Identifier: Apache-2.0
// Never ends.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  while (in[0] == in[0]) for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
