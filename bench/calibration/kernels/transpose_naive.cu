// SPDX-License-Identifier: Apache-2.0
// A transpose with strided stores.
/* kernelpro
axis   side = 4096
check  side = 64
input  x : f32[side, side]
output y : f32[side, side]
launch transpose_naive<<<(side / 32, side / 32), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void transpose_naive(const float* x, float* y, int side) {
  int col = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) {
    int row = blockIdx.y * 32 + r;
    y[col * side + row] = x[row * side + col];
  }
}
