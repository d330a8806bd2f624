// SPDX-License-Identifier: Apache-2.0
// Seven points of a volume, marching along one axis.
/* kernelpro
axis   side = 256
check  side = 64
input  x : f32[side, side, side]
output y : f32[side, side, side]
launch stencil_3d<<<(side / 32, side / 8), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void stencil_3d(const float* __restrict__ x, float* __restrict__ y, int side) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y, plane = side * side;
  int left = max(c - 1, 0) - c, right = min(c + 1, side - 1) - c;
  int up = (max(r - 1, 0) - r) * side, down = (min(r + 1, side - 1) - r) * side;
  int at = r * side + c;
  float below = x[at], here = below;
  for (int z = 0; z < side; ++z, at += plane) {
    float above = z + 1 < side ? x[at + plane] : here;
    y[at] = 0.4f * here + 0.1f * (below + above + x[at + left] + x[at + right] + x[at + up] + x[at + down]);
    below = here;
    here = above;
  }
}
