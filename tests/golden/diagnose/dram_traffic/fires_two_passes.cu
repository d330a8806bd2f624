// SPDX-License-Identifier: Apache-2.0
// Two element-wise steps with an array between them.
/* kernelpro
axis   n = 33554432
check  n = 4099
input  x : f32[n] ~ normal
input  bias : f32[n] ~ normal
output y : f32[n]
buffer middle : f32[n]
precision f32
work   flops = 4 * n
launch add<<<ceil_div(n, 1024), 256>>>(x, bias, middle, n)
launch gate<<<ceil_div(n, 1024), 256>>>(middle, y, n)
*/
extern "C" __global__ void add(const float* __restrict__ x, const float* __restrict__ bias,
                               float* __restrict__ middle, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 a = *reinterpret_cast<const float4*>(x + i);
    const float4 b = *reinterpret_cast<const float4*>(bias + i);
    *reinterpret_cast<float4*>(middle + i) =
        make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  } else {
    for (int j = i; j < n; ++j) middle[j] = x[j] + bias[j];
  }
}
extern "C" __global__ void gate(const float* __restrict__ middle, float* __restrict__ y, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 a = *reinterpret_cast<const float4*>(middle + i);
    *reinterpret_cast<float4*>(y + i) = make_float4(fmaxf(a.x, 0.1f * a.x), fmaxf(a.y, 0.1f * a.y),
                                                    fmaxf(a.z, 0.1f * a.z), fmaxf(a.w, 0.1f * a.w));
  } else {
    for (int j = i; j < n; ++j) y[j] = fmaxf(middle[j], 0.1f * middle[j]);
  }
}
