// SPDX-License-Identifier: Apache-2.0
// Four elements a thread, in one access.
/* kernelpro
launch swish<<<ceil_div(n, 1024), 256>>>(x, y, n)
*/
__device__ float swish_of(float v) { return v / (1.0f + __expf(-v)); }
extern "C" __global__ void swish(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(swish_of(v.x), swish_of(v.y), swish_of(v.z), swish_of(v.w));
    return;
  }
  for (int k = i; k < n; ++k) y[k] = swish_of(x[k]);
}
