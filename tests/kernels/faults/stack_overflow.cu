// SPDX-License-Identifier: Apache-2.0
// Recurses without an end on long rows.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
__device__ __noinline__ int depth(int n) { return n == 0 ? 0 : depth(n + 1) / 3 + n; }
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
  if (threadIdx.x == 0 && depth(cols) < 0) out[0] = 0;
}
