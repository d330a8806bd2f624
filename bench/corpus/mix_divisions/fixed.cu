// SPDX-License-Identifier: Apache-2.0
// The two middle axes of an array change places. Places come from block indices.
/* kernelpro
axis   a = 64, b = 64, c = 64, d = 64
check  a = 3, b = 8, c = 5, d = 64
input  x : f32[a, b, c, d] ~ normal
output y : f32[a, c, b, d]
precision f32
work   flops = 0, bytes = 8 * a * b * c * d
launch swap<<<(b / 4, c, a), 256>>>(x, y, b, c)
*/
extern "C" __global__ void swap(const float* __restrict__ x, float* __restrict__ y, int b, int c) {
  const int l = threadIdx.x % 64, k = blockIdx.x * 4 + threadIdx.x / 64, j = blockIdx.y,
            h = blockIdx.z;
  y[((h * c + j) * b + k) * 64 + l] = x[((h * b + k) * c + j) * 64 + l];
}
