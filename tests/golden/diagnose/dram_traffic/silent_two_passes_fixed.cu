// SPDX-License-Identifier: Apache-2.0
// The same two steps in one kernel.
/* kernelpro
axis   n = 33554432
check  n = 4099
input  x : f32[n] ~ normal
input  bias : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 4 * n
launch add_gate<<<ceil_div(n, 1024), 256>>>(x, bias, y, n)
*/
__device__ float leaky(float v) { return fmaxf(v, 0.1f * v); }

extern "C" __global__ void add_gate(const float* __restrict__ x, const float* __restrict__ bias,
                                    float* __restrict__ y, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 a = *reinterpret_cast<const float4*>(x + i);
    const float4 b = *reinterpret_cast<const float4*>(bias + i);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(leaky(a.x + b.x), leaky(a.y + b.y), leaky(a.z + b.z), leaky(a.w + b.w));
  } else {
    for (int j = i; j < n; ++j) y[j] = leaky(x[j] + bias[j]);
  }
}
