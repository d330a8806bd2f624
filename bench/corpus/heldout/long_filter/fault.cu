// SPDX-License-Identifier: Apache-2.0
// A signal with its echo of 128 taps; every thread fetches 128 samples and 128 taps.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  signal : f32[n + 128] ~ normal
input  echo : f32[128] ~ normal
output heard : f32[n]
precision f32
work   flops = 256 * n
launch hear<<<n / 256, 256>>>(signal, echo, heard)
*/
extern "C" __global__ void hear(const float* signal, const float* echo, float* heard) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
  for (int tap = 0; tap < 128; ++tap) sum += echo[tap] * signal[at + tap];
  heard[at] = sum;
}
