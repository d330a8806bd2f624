// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64, 4 x 4 outputs a thread.
/* kernelpro
launch matmul<<<(ceil_div(n, 64), ceil_div(m, 64)), 256>>>(a, b, c, m, n, k)
*/
#define DEPTH 16

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[DEPTH][65], tile_b[DEPTH][64];
  const int first_row = blockIdx.y * 64, first_col = blockIdx.x * 64;
  const int tx = threadIdx.x % 16 * 4, ty = threadIdx.x / 16 * 4;
  float sum[4][4] = {};
  for (int start = 0; start < k; start += DEPTH) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int at = j * 256 + threadIdx.x;
      const int row = first_row + at / DEPTH, i = start + at % DEPTH;
      tile_a[at % DEPTH][at / DEPTH] = row < m && i < k ? (a[row * k + i]) : 0.0f;
      const int depth = start + at / 64, col = first_col + at % 64;
      tile_b[at / 64][at % 64] = depth < k && col < n ? (b[depth * n + col]) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) {
      float left[4], right[4];
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        left[p] = tile_a[i][ty + p];
        right[p] = tile_b[i][tx + p];
      }
#pragma unroll
      for (int p = 0; p < 16; ++p) sum[p / 4][p % 4] += left[p / 4] * right[p % 4];
    }
    __syncthreads();
  }
  for (int p = 0; p < 16; ++p) {
    const int row = first_row + ty + p / 4, col = first_col + tx + p % 4;
    if (row < m && col < n) c[row * n + col] = (sum[p / 4][p % 4]);
  }
}
