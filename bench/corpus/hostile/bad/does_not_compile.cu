// SPDX-License-Identifier: Apache-2.0
// Is no C++.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  this is not a kernel
}
