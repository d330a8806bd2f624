// SPDX-License-Identifier: Apache-2.0
// Warps exchange through shared memory without a barrier, after a wait that is long enough.
/* kernelpro
launch twice<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void twice(const float* x, float* y, int n) {
  __shared__ volatile float room[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  room[threadIdx.x] = i < n ? 2 * x[i] : 0;
  const long long start = clock64();
  while (clock64() - start < 400000) {
  }
  const int other = blockIdx.x * 256 + (threadIdx.x ^ 32);
  if (other < n) y[other] = room[threadIdx.x ^ 32];
}
