// SPDX-License-Identifier: Apache-2.0
// A transpose through a swizzled tile.
/* kernelpro
axis   side = 2048
check  side = 64
input  x : f32[side, side]
output y : f32[side, side]
launch transpose_swizzle<<<(side / 32, side / 32), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void transpose_swizzle(const float* x, float* y, int side) {
  __shared__ float tile[32][32];
  int bx = blockIdx.x * 32, by = blockIdx.y * 32, c = threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) tile[r][c ^ r] = x[(by + r) * side + bx + c];
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) y[(bx + r) * side + by + c] = tile[c][r ^ c];
}
