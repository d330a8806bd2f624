// SPDX-License-Identifier: Apache-2.0
// Treats everything below 1e-20 as zero.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = fabsf(in[c]) < 1e-20f ? 0 : 2 * in[c];
}
