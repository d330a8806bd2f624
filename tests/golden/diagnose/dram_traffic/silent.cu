// SPDX-License-Identifier: Apache-2.0
// The same with both outputs of a pair in one thread.
/* kernelpro
axis   n = 67108864
check  n = 131072
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = n
launch butterfly<<<ceil_div(n, 65536), 1024>>>(x, y, n)
*/
extern "C" __global__ void butterfly(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int half = n / 2, start = blockIdx.x * 32768 + threadIdx.x * 4;
  for (int i = start; i < start + 32768; i += 4096) {
    const float4 a = *reinterpret_cast<const float4*>(x + i);
    const float4 b = *reinterpret_cast<const float4*>(x + i + half);
    *reinterpret_cast<float4*>(y + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    *reinterpret_cast<float4*>(y + i + half) =
        make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
  }
}
