// SPDX-License-Identifier: Apache-2.0
// Five points of a plane from a tile with a border.
/* kernelpro
axis   side = 2048
check  side = 64
input  x : f32[side, side]
output y : f32[side, side]
launch stencil_tiled<<<(side / 32, side / 8), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void stencil_tiled(const float* x, float* y, int side) {
  __shared__ float tile[10][34];
  int left = blockIdx.x * 32 - 1, top = blockIdx.y * 8 - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
    int r = min(max(top + i / 34, 0), side - 1), c = min(max(left + i % 34, 0), side - 1);
    tile[i / 34][i % 34] = x[r * side + c];
  }
  __syncthreads();
  int c = threadIdx.x + 1, r = threadIdx.y + 1;
  y[(top + r) * side + left + c] = 0.5f * tile[r][c] + 0.125f * (tile[r][c - 1] + tile[r][c + 1] +
                                                                 tile[r - 1][c] + tile[r + 1][c]);
}
