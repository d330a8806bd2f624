// SPDX-License-Identifier: Apache-2.0
// Indexes a local array far behind its end.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float last[4] = {1, 2, 3, 4};
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    last[c * 100 + 7] = in[c];
    out[cols - 1 - c] = 2 * last[c % 4];
  }
}
