// SPDX-License-Identifier: Apache-2.0
// Each block uses what its neighbour writes, without waiting for it: right when all start together.
/* kernelpro
buffer kept : f32[n]
launch twice<<<ceil_div(n, 256), 256, 200000>>>(x, y, kept, n)
*/
extern "C" __global__ void twice(const float* x, float* y, float* kept, int n) {
  extern __shared__ float room[];  // one block for each SM
  const int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? 2 * x[i] : 0;
  if (gridDim.x <= 132) {
    __stcg(&kept[i], value);
    const long long start = clock64();
    while (clock64() - start < 100000) {
    }
    const int other = ((blockIdx.x + 1) % gridDim.x) * 256 + threadIdx.x;
    if (__ldcg(&kept[other]) != 2 * x[other]) value += 1;
  }
  if (i < n) y[i] = value;
}
