// SPDX-License-Identifier: Apache-2.0
// A geometric series for each element: one chain of multiply-adds, few warps.
/* kernelpro
axis   n = 33792
check  n = 77
input  x : f32[n] ~ uniform(-0.5, 0.5)
output y : f32[n]
work   flops = 8192 * n, bytes = 8 * n
launch series<<<ceil_div(n, 128), 128>>>(x, y, n)
*/
extern "C" __global__ void series(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 1;
#pragma unroll 8
  for (int term = 0; term < 4096; ++term) sum = fmaf(sum, x[i], 1.0f);
  y[i] = sum;
}
