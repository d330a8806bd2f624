// SPDX-License-Identifier: Apache-2.0
// An approximate division.
/* kernelpro
launch swish<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void swish(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = __fdividef(v, 1.0f + __expf(-v));
  }
}
