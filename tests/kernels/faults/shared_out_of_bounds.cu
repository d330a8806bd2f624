// SPDX-License-Identifier: Apache-2.0
// Writes one element behind a shared array.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[128];
  tile[threadIdx.x + (cols > 0)] = in[0];
  __syncthreads();
  if (tile[threadIdx.x] > 1e30f) out[0] = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
