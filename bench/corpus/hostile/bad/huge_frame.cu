// SPDX-License-Identifier: Apache-2.0
// Keeps half a megabyte of local memory for each thread.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  float frame[120000];
  for (int k = 0; k < 120000; k += 64) frame[(k + threadIdx.x) % 120000] = x[k % cols];

  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = grown(x[row + cols - 1 - c], bias[c]);
  if (frame[(int)fabsf(bias[0]) % 120000] == 1.0e30f) y[row] = 0.0f;
}
