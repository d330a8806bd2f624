// SPDX-License-Identifier: Apache-2.0
// Shared loads of 8 bytes side by side.
/* kernelpro
axis   n = 262144
check  n = 16384
output y : f32[n]
launch lds64_line<<<n / 256, 256>>>(y)
*/
extern "C" __global__ void lds64_line(float* y) {
  __shared__ __align__(16) float v[2048];
  int t = threadIdx.x, lane = t % 32;
  for (int j = t; j < 2048; j += 256) v[j] = j;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < 64; ++r) {
    const volatile float2* p = reinterpret_cast<const volatile float2*>(v) + (r + lane);
    sum += p->x + p->y + r;
  }
  y[blockIdx.x * 256 + t] = sum;
}
