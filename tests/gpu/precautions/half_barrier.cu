// SPDX-License-Identifier: Apache-2.0
// Half of the warps wait at a barrier that the others never reach.
/* kernelpro
launch twice<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
  if (threadIdx.x < 128) __syncthreads();
}
