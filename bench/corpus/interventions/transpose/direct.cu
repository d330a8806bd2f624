// SPDX-License-Identifier: Apache-2.0
// Without the tile: the store goes by columns.
/* kernelpro
launch transpose<<<(ceil_div(cols, 32), ceil_div(rows, 32)), (32, 8)>>>(x, y, rows, cols)
*/
#define TILE 32
#define BLOCK_ROWS 8

extern "C" __global__ void transpose(const float* x, float* y, int rows, int cols) {
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += BLOCK_ROWS) {
    if (row + i < rows && col < cols) {
      y[col * rows + row + i] = x[(row + i) * cols + col];
    }
  }
}
