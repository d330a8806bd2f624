// SPDX-License-Identifier: Apache-2.0
// Three neighbouring floats for each thread.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  points : f32[n, 3]
output norm : f32[n]
launch aos<<<ceil_div(n, 256), 256>>>(points, norm, n)
*/
extern "C" __global__ void aos(const float* points, float* norm, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
  norm[i] = x * x + y * y + z * z;
}
