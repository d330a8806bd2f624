// SPDX-License-Identifier: Apache-2.0
// Matrix transpose through a shared tile: both sides of global memory are coalesced.
/* kernelpro
launch transpose<<<(ceil_div(cols, 32), ceil_div(rows, 32)), (32, 8)>>>(x, y, rows, cols)
*/
#define TILE 32
#define BLOCK_ROWS 8

extern "C" __global__ void transpose(const float* x, float* y, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];

  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += BLOCK_ROWS) {
    if (row + i < rows && col < cols) {
      tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * cols + col];
    }
  }
  __syncthreads();

  col = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += BLOCK_ROWS) {
    if (row + i < cols && col < rows) {
      y[(row + i) * rows + col] = tile[threadIdx.x][threadIdx.y + i];
    }
  }
}
