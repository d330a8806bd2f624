// SPDX-License-Identifier: Apache-2.0
// Reads a neighbour's element of shared memory without a barrier.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  __shared__ float tile[128];
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int start = 0; start < cols; start += 128) {
    int width = min(128, cols - start);
    int c = threadIdx.x;
    if (c < width) tile[c] = 2 * in[start + c];
    if (c < width) out[cols - start - width + c] = tile[width - 1 - c];
  }
}
