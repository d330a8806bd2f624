// SPDX-License-Identifier: Apache-2.0
// A permutation of four axes: divisions by extents to find the place.
/* kernelpro
axis   a = 32, b = 64, c = 32, d = 64
check  a = 16, b = 16, c = 16, d = 16
input  x : f32[a, b, c, d]
output y : f32[a, c, b, d]
launch index_4d<<<a * b * c * d / 256, 256>>>(x, y, b, c, d)
*/
extern "C" __global__ void index_4d(const float* x, float* y, int b, int c, int d) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int l = i % d, k = i / d % b, j = i / d / b % c, h = i / d / b / c;
  y[i] = x[((h * b + k) * c + j) * d + l];
}
