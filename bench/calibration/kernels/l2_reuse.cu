// SPDX-License-Identifier: Apache-2.0
// All blocks read the same 16 MiB.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[4 * n]
output y : f32[264]
launch l2_reuse<<<264, 1024>>>(x, y, n)
*/
extern "C" __global__ void l2_reuse(const float4* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n / 8; i += 1024) {
    float4 v = x[(i + blockIdx.x * 4096) % n];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
