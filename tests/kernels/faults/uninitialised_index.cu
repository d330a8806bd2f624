// SPDX-License-Identifier: Apache-2.0
// Takes an index from shared memory that nobody wrote.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ int order[8];
  if (cols < 0) order[threadIdx.x % 8] = cols;
  if (in[order[3] & 7] > 1e30f) out[0] = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
