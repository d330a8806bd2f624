// SPDX-License-Identifier: Apache-2.0
// Integer reductions of whole warps on one line.
/* kernelpro
axis   n = 262144, m = 1048576
check  n = 16384, m = 65536
inout  bins : u32[m] ~ int(0, 0)
launch red_int_line<<<n / 256, 256>>>(bins)
*/
extern "C" __global__ void red_int_line(unsigned* bins) {
  unsigned i = blockIdx.x * 256 + threadIdx.x, lane = i % 32, warp = i / 32;
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(bins + lane), "r"(1u));
}
