// SPDX-License-Identifier: Apache-2.0
// One block more than two waves of blocks with a long loop.
/* kernelpro
axis   blocks = 265
check  blocks = 256
input  x : f32[blocks, 1024]
output y : f32[blocks, 1024]
launch tail<<<blocks, 1024, 100000>>>(x, y)
*/
extern "C" __global__ void tail(const float* x, float* y) {
  int i = blockIdx.x * 1024 + threadIdx.x;
  float a = x[i], b = a + 1.0f;
  for (int r = 0; r < 512; ++r) {
    a = a * 0.999f + b;
    b = b * 0.998f + a;
  }
  y[i] = a + b;
}
