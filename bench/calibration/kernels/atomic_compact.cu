// SPDX-License-Identifier: Apache-2.0
// Positive values collected behind a counter, atomics that return.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
inout  count : u32[1] ~ int(0, 0)
inout  kept : f32[n] ~ uniform(0, 1)
launch atomic_compact<<<n / 256, 256>>>(x, count, kept, n)
*/
extern "C" __global__ void atomic_compact(const float* x, unsigned* count, float* kept, int n) {
  float v = x[blockIdx.x * 256 + threadIdx.x];
  if (v > 1.0f) {
    unsigned at = atomicAdd(count, 1u);
    kept[at % n] = v;
  }
}
