// SPDX-License-Identifier: Apache-2.0
// Keeps half a megabyte of local memory for each thread.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  float frame[120000];
  for (int k = 0; k < 120000; k += 64) frame[(k + threadIdx.x) % 120000] = x[k % cols];

  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
  if (frame[(int)fabsf(bias[0]) % 120000] == 1.0e30f) y[row] = 0.0f;
}
