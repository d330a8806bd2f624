// SPDX-License-Identifier: Apache-2.0
// A recursion whose form depends on the kind of the element. One branch with factors.
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
  const int i = blockIdx.x * 256 + threadIdx.x, form = kind[i];
  const float value = x[i], step = form < 2 ? value : -value;
  const float factor = form == 0 ? 0.5f : form == 1 ? -0.75f : form == 2 ? 0.25f : -0.125f;
  float sum = value;
  for (int k = 0; k < 256; ++k) sum = fmaf(sum, factor, step);
  y[i] = sum;
}
