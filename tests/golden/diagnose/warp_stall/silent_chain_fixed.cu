// SPDX-License-Identifier: Apache-2.0
// A geometric series for each element: four chains side by side.
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
  const float once = x[i], twice = once * once, fourfold = twice * twice;
  float a = 1, b = 1, c = 1, d = 1;
#pragma unroll 8
  for (int term = 0; term < 1024; ++term) {
    a = fmaf(a, fourfold, 1.0f);
    b = fmaf(b, fourfold, 1.0f);
    c = fmaf(c, fourfold, 1.0f);
    d = fmaf(d, fourfold, 1.0f);
  }
  y[i] = fmaf(twice, fmaf(once, d, c), fmaf(once, b, a));
}
