// SPDX-License-Identifier: Apache-2.0
// A matrix-vector product, a warp for each row.
/* kernelpro
axis   rows = 16384, cols = 4096
check  rows = 16, cols = 1024
input  x : f32[rows, cols] ~ normal
input  v : f32[cols] ~ normal
output y : f32[rows]
precision f32
work   flops = 2 * rows * cols
launch rows_by_vector<<<rows / 8, 256>>>(x, v, y, cols / 4)
*/
__device__ float4 at(const float* x, int i) { return reinterpret_cast<const float4*>(x)[i]; }

extern "C" __global__ void rows_by_vector(const float* __restrict__ x, const float* __restrict__ v,
                                          float* __restrict__ y, int cols) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 8
  for (int c = lane; c < cols; c += 32) {
    const float4 a = at(x, row * cols + c), b = at(v, c);
    sum += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}
