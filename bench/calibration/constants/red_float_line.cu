// SPDX-License-Identifier: Apache-2.0
// Float reductions of whole warps on one line.
/* kernelpro
axis   n = 262144, m = 1048576
check  n = 16384, m = 65536
inout  bins : f32[m] ~ uniform(0, 1)
launch red_float_line<<<n / 256, 256>>>(bins)
*/
extern "C" __global__ void red_float_line(float* bins) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, lane = i % 32, warp = i / 32;
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(bins + lane), "f"(1.0f));
}
