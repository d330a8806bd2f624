// SPDX-License-Identifier: Apache-2.0
// Weighted sums of four elements, a quarter of the array apart. A thread for four outputs.
/* kernelpro
axis   n = 67108864
check  n = 16384
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 7 * n
launch lags<<<n / 4096, 256>>>(x, y, n)
*/
__device__ float4 at(const float* x, int i) { return *reinterpret_cast<const float4*>(x + i); }
__device__ float join(float a, float b, float c, float d) {
  return (0.5f * a - 0.25f * b) + (0.75f * c - d);
}
__device__ void put(float* y, int i, float4 a, float4 b, float4 c, float4 d) {
  *reinterpret_cast<float4*>(y + i) =
      make_float4(join(a.x, b.x, c.x, d.x), join(a.y, b.y, c.y, d.y), join(a.z, b.z, c.z, d.z),
                  join(a.w, b.w, c.w, d.w));
}
extern "C" __global__ void lags(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4, quarter = n / 4;
  const float4 a = at(x, i), b = at(x, i + quarter), c = at(x, i + 2 * quarter),
               d = at(x, i + 3 * quarter);
  put(y, i, a, b, c, d);
  put(y, i + quarter, b, c, d, a);
  put(y, i + 2 * quarter, c, d, a, b);
  put(y, i + 3 * quarter, d, a, b, c);
}
