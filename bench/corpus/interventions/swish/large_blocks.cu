// SPDX-License-Identifier: Apache-2.0
// Blocks of 1024 threads.
/* kernelpro
launch swish<<<ceil_div(n, 1024), 1024>>>(x, y, n)
*/
extern "C" __global__ void swish(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    y[i] = v / (1.0f + __expf(-v));
  }
}
