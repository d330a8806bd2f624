// SPDX-License-Identifier: Apache-2.0
// A signal with its echo of 128 taps; samples and taps lie in shared memory, eight results a
// thread.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  signal : f32[n + 128] ~ normal
input  echo : f32[128] ~ normal
output heard : f32[n]
precision f32
work   flops = 256 * n
launch hear<<<n / 2048, 256>>>(signal, echo, heard)
*/
extern "C" __global__ void hear(const float* signal, const float* echo, float* heard) {
  // Samples of one phase lie together, so that lanes read neighbours.
  __shared__ float samples[8][272], taps[128];
  const size_t base = (size_t)blockIdx.x * 2048;
  for (int k = threadIdx.x; k < 2048 + 128; k += 256) samples[k % 8][k / 8] = signal[base + k];
  if (threadIdx.x < 128) taps[threadIdx.x] = echo[threadIdx.x];
  __syncthreads();
  float sum[8] = {}, held[16];
#pragma unroll
  for (int k = 0; k < 8; ++k) held[k] = samples[k][threadIdx.x];
  for (int tap = 0; tap < 128; tap += 8) {
#pragma unroll
    for (int k = 0; k < 8; ++k) held[8 + k] = samples[k][threadIdx.x + tap / 8 + 1];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float weight = taps[tap + j];
#pragma unroll
      for (int k = 0; k < 8; ++k) sum[k] += weight * held[j + k];
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) held[k] = held[8 + k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k) samples[k][threadIdx.x] = sum[k];
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 256) heard[base + k] = samples[k % 8][k / 8];
}
