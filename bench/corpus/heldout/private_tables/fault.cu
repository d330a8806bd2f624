// SPDX-License-Identifier: Apache-2.0
// Levels through a curve; 128 threads for each copy of its 64 KB.
/* kernelpro
axis   n = 4194304, m = 4194304
check  n = 20000, m = 1000
input  place : i32[n] ~ int(0, m - 1)
input  level : f32[m] ~ uniform(0, 1)
input  curve : f32[16384] ~ normal
output y : f32[n]
precision f32
work   flops = 2 * n, bytes = 12 * n
launch lookup<<<396, 128, 65536>>>(place, level, curve, y, n)
*/
// Levels are fetched from anywhere and bent by a curve of 16384 points that each block keeps at
// hand.
extern "C" __global__ void lookup(const int* place, const float* level, const float* curve,
                                  float* y, int n) {
  extern __shared__ float table[];
  for (int point = threadIdx.x; point < 16384; point += blockDim.x) table[point] = curve[point];
  __syncthreads();
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float l = level[place[i]];
    y[i] = table[min(16383, (int)(l * 16384.f))] * l;
  }
}
