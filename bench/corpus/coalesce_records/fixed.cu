// SPDX-License-Identifier: Apache-2.0
// The length of each record. The block loads its records together.
/* kernelpro
axis   n = 1048576
check  n = 384
input  x : f32[n, 24] ~ normal
output y : f32[n]
precision f32
work   flops = 48 * n
launch lengths<<<ceil_div(n, 128), 128>>>(x, y, n)
*/
extern "C" __global__ void lengths(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float records[128 * 25];
  const int first = blockIdx.x * 128, i = first + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    const int at = k * 128 + threadIdx.x, record = at / 24;
    if (first + record < n) records[record * 25 + at % 24] = x[(size_t)first * 24 + at];
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    const float value = records[threadIdx.x * 25 + k];
    sum = fmaf(value, value, sum);
  }
  y[i] = sqrtf(sum);
}
