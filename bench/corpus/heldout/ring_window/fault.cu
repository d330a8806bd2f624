// SPDX-License-Identifier: Apache-2.0
// What each value has gained over the one of sixteen steps ago; a ring remembers them.
/* kernelpro
axis   series = 262144, steps = 128
check  series = 512, steps = 48
input  x : f32[steps, series] ~ normal
output y : f32[steps, series]
precision f32
work   flops = 2 * steps * series
launch moving<<<series / 256, 256>>>(x, y, steps, series)
*/
extern "C" __global__ void moving(const float* x, float* y, int steps, int series) {
  const int who = blockIdx.x * blockDim.x + threadIdx.x;
  float ring[16] = {0.f};
  int hand = 0;
  for (int step = 0; step < steps; ++step) {
    const float now = x[(size_t)step * series + who];
    y[(size_t)step * series + who] = now - 0.5f * ring[hand];
    ring[hand] = now;
    hand = (hand + 1) & 15;
  }
}
