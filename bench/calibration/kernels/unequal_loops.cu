// SPDX-License-Identifier: Apache-2.0
// Loops whose length differs by lane.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  steps : i32[n] ~ int(1, 64)
output y : f32[n]
launch unequal_loops<<<n / 256, 256>>>(steps, y)
*/
extern "C" __global__ void unequal_loops(const int* steps, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = 1.0f;
  for (int r = steps[i]; r > 0; --r) v = v * 0.75f + r;
  y[i] = v;
}
