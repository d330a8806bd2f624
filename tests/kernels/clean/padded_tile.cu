// SPDX-License-Identifier: Apache-2.0
// A padded tile of which the padding is never written, and rows that end in a partial one.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[128 + 1];
  for (int start = 0; start < cols; start += 128) {
    int width = min(128, cols - start), c = threadIdx.x;
    if (c < width) tile[c] = in[start + c];
    __syncthreads();
    float value = c < 128 ? tile[128 - 1 - c] : 0;
    if (c >= 128 - width) out[cols - start - width + (c - (128 - width))] = 2 * value;
    __syncthreads();
  }
}
