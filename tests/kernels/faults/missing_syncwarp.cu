// SPDX-License-Identifier: Apache-2.0
// A warp exchanges values through shared memory and relies on lockstep.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[128];
  for (int start = 0; start < cols; start += 128) {
    int c = start + threadIdx.x, lane = threadIdx.x % 32, first = threadIdx.x - lane;
    if (c < cols) tile[threadIdx.x] = in[c];
    float mine = tile[first + (lane ^ 1)];
    if (mine > 1e30f) out[0] = mine;
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
