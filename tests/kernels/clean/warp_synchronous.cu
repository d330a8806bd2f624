// SPDX-License-Identifier: Apache-2.0
// Warps exchange through shared memory with __syncwarp alone, with a partial last tile.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[4][33];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int start = warp * 32; start < cols; start += 128) {
    int width = min(32, cols - start);
    if (lane < width) tile[warp][lane] = 2 * in[start + lane];
    __syncwarp();
    if (lane < width) out[cols - start - width + lane] = tile[warp][width - 1 - lane];
    __syncwarp();
  }
}
