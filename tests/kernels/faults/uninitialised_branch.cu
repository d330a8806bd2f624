// SPDX-License-Identifier: Apache-2.0
// Branches on shared memory that nobody wrote.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ int flag;
  if (cols < 0) flag = cols;
  if (flag == 77) out[0] = 1;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
