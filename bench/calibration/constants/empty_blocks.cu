// SPDX-License-Identifier: Apache-2.0
// Blocks that do nothing.
/* kernelpro
axis   n = 262144
check  n = 16384
output y : f32[1]
launch empty_blocks<<<n, 256>>>(y)
*/
extern "C" __global__ void empty_blocks(float* y) {
  if (y == nullptr) y[0] = 1;
}
