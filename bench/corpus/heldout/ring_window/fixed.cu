// SPDX-License-Identifier: Apache-2.0
// What each value has gained over the one of sixteen steps ago; rounds of sixteen steps.
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
  for (int round = 0; round < steps; round += 16) {
#pragma unroll
    for (int hand = 0; hand < 16; ++hand) {
      const size_t at = (size_t)(round + hand) * series + who;
      const float now = x[at];
      y[at] = now - 0.5f * ring[hand];
      ring[hand] = now;
    }
  }
}
