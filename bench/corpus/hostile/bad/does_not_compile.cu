// SPDX-License-Identifier: Apache-2.0
// Is no C++.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  this is not a kernel
}
