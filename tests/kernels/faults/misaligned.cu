// SPDX-License-Identifier: Apache-2.0
// Reads pairs of floats from odd elements.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float2 pair = *(const float2*)(in + 1 + cols % 2);
  if (pair.x + pair.y > 1e30f) out[0] = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
