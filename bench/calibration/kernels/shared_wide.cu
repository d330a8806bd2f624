// SPDX-License-Identifier: Apache-2.0
// Shared loads of sixteen bytes a lane and of one word for all.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch shared_wide<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void shared_wide(const float* x, float* y) {
  __shared__ float4 v[256];
  __shared__ float weight[64];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  v[t] = make_float4(x[i], t, 1, 2);
  if (t < 64) weight[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < 64; ++r) {
    float4 u = v[(t + r) % 256];
    sum += weight[r] * (u.x + u.y + u.z + u.w);
  }
  y[i] = sum;
}
