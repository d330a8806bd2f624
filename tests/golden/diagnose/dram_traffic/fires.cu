// SPDX-License-Identifier: Apache-2.0
// One stage of a Hadamard transform where each block computes its piece of the outputs: the block
// that needs the same inputs again runs when they have left the L2.
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
  const int half = n / 2, start = blockIdx.x * 65536 + threadIdx.x * 4;
  const float s = start < half ? 1.0f : -1.0f;
  for (int i = start; i < start + 65536; i += 4096) {
    const float4 a = *reinterpret_cast<const float4*>(x + i % half);
    const float4 b = *reinterpret_cast<const float4*>(x + i % half + half);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w);
  }
}
