// SPDX-License-Identifier: Apache-2.0
// Negated transposes of a batch of matrices. The tile is padded by a column.
/* kernelpro
axis   batch = 64, side = 512
check  batch = 3, side = 64
input  x : f32[batch, side, side] ~ normal
output y : f32[batch, side, side]
precision f32
work   flops = batch * side * side
launch flip<<<(side / 32, side / 32, batch), (32, 8)>>>(x, y, side)
*/
extern "C" __global__ void flip(const float* __restrict__ x, float* __restrict__ y, int side) {
  __shared__ float tile[32][33];
  const size_t start = (size_t)blockIdx.z * side * side;
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    tile[threadIdx.y + k][threadIdx.x] = x[start + (row + k) * side + col];
  }
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += 8) {
    y[start + (row + k) * side + col] = -tile[threadIdx.x][threadIdx.y + k];
  }
}
