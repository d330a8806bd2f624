// SPDX-License-Identifier: Apache-2.0
// A ring of values passed on at 64 barriers.
/* kernelpro
axis   n = 524288
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch barriers<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void barriers(const float* x, float* y) {
  __shared__ float ring[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  for (int r = 0; r < 64; ++r) {
    ring[threadIdx.x] = v;
    __syncthreads();
    v = ring[(threadIdx.x + 33) % 256] * 0.5f + v;
    __syncthreads();
  }
  y[i] = v;
}
