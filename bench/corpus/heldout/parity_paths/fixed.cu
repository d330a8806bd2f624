// SPDX-License-Identifier: Apache-2.0
// Two kinds of orbit by turns: a warp takes the even places of 64, or the odd ones.
/* kernelpro
axis   n = 4194304
check  n = 2048
input  x : f32[n] ~ uniform(0.5, 1)
output y : f32[n]
precision f32
work   flops = 384 * n
launch refine<<<n / 512, 512>>>(x, y)
*/
// Even places get a logistic orbit, odd places a continued fraction without divisions.
__device__ float orbit(float start) {
  float at = start;
  for (int k = 0; k < 96; ++k) at = 2.5f * at * (1.f - at);
  return at;
}
__device__ float ladder(float start) {
  float up = start, down = 1.f;
  for (int k = 0; k < 96; ++k) {
    const float next = 0.5f * up + start * down;
    down = 0.5f * down + 0.25f * up * start;
    up = next;
  }
  return up - down;
}
extern "C" __global__ void refine(const float* x, float* y) {
  const int pair = threadIdx.x >> 6, odd = threadIdx.x >> 5 & 1, lane = threadIdx.x & 31;
  const int i = blockIdx.x * 512 + pair * 64 + lane * 2 + odd;
  y[i] = odd ? ladder(x[i]) : orbit(x[i]);
}
