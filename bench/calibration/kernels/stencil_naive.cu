// SPDX-License-Identifier: Apache-2.0
// Five points of a plane, straight from global memory.
/* kernelpro
axis   side = 4096
check  side = 64
input  x : f32[side, side]
output y : f32[side, side]
launch stencil_naive<<<(side / 32, side / 8), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void stencil_naive(const float* x, float* y, int side) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  int left = max(c - 1, 0), right = min(c + 1, side - 1), up = max(r - 1, 0), down = min(r + 1, side - 1);
  y[r * side + c] = 0.5f * x[r * side + c] + 0.125f * (x[r * side + left] + x[r * side + right] +
                                                       x[up * side + c] + x[down * side + c]);
}
