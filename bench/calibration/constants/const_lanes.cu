// SPDX-License-Identifier: Apache-2.0
// Look-ups in constant memory, 32 words for 32 lanes.
/* kernelpro
axis   n = 262144
check  n = 16384
output y : f32[n]
launch const_lanes<<<n / 256, 256>>>(y)
*/
__constant__ float table[64] = {1, 2, 3};

extern "C" __global__ void const_lanes(float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < 32; ++r) sum += table[(i + r * 3) % 64];
  y[i] = sum;
}
