// SPDX-License-Identifier: Apache-2.0
// A recursion whose form depends on the kind of the element. A branch for each kind.
/* kernelpro
axis   n = 1048576
check  n = 1024
input  x : f32[n] ~ normal
input  kind : i32[n] ~ int(0, 3)
output y : f32[n]
precision f32
work   flops = 512 * n
launch grow<<<n / 256, 256>>>(x, kind, y)
*/
extern "C" __global__ void grow(const float* __restrict__ x, const int* __restrict__ kind,
                                float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float value = x[i];
  float sum = value;
  switch (kind[i]) {
    case 0:
      for (int k = 0; k < 256; ++k) sum = fmaf(sum, 0.5f, value);
      break;
    case 1:
      for (int k = 0; k < 256; ++k) sum = fmaf(sum, -0.75f, value);
      break;
    case 2:
      for (int k = 0; k < 256; ++k) sum = fmaf(sum, 0.25f, -value);
      break;
    default:
      for (int k = 0; k < 256; ++k) sum = fmaf(sum, -0.125f, -value);
  }
  y[i] = sum;
}
