// SPDX-License-Identifier: Apache-2.0
// Every block reads its 16 KiB again and again.
/* kernelpro
axis   blocks = 1056
check  blocks = 256
input  x : f32[blocks, 4096]
output y : f32[blocks, 256]
launch l1_reuse<<<blocks, 256>>>(x, y)
*/
extern "C" __global__ void l1_reuse(const float* __restrict__ x, float* __restrict__ y) {
  const float* mine = x + blockIdx.x * 4096;
  float sum = 0;
  for (int r = 0; r < 8; ++r)
    for (int i = 0; i < 16; ++i) sum += mine[(i * 256 + threadIdx.x + r * 32) % 4096] * (r + 1);
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
