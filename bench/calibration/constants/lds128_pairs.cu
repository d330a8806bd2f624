// SPDX-License-Identifier: Apache-2.0
// Shared loads of 16 bytes, lanes in pairs.
/* kernelpro
axis   n = 262144
check  n = 16384
output y : f32[n]
launch lds128_pairs<<<n / 256, 256>>>(y)
*/
extern "C" __global__ void lds128_pairs(float* y) {
  __shared__ __align__(16) float v[2048];
  int t = threadIdx.x, lane = t % 32;
  for (int j = t; j < 2048; j += 256) v[j] = j;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < 64; ++r) {
    const volatile float4* p = reinterpret_cast<const volatile float4*>(v) + (r + lane / 2);
    sum += p->x + p->y + p->z + p->w + r;
  }
  y[blockIdx.x * 256 + t] = sum;
}
