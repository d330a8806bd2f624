// SPDX-License-Identifier: Apache-2.0
// A matrix times a vector, one warp a row, four floats a lane.
/* kernelpro
axis   rows = 8192, cols = 4096
check  rows = 256, cols = 2048
input  a : f32[rows, cols]
input  x : f32[cols]
output y : f32[rows]
launch matvec<<<rows / 8, 256>>>(a, x, y, cols)
*/
extern "C" __global__ void matvec(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int cols) {
  int row = (blockIdx.x * 256 + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const float4* from = reinterpret_cast<const float4*>(a + (long long)row * cols);
  const float4* with = reinterpret_cast<const float4*>(x);
  float sum = 0;
  for (int c = lane; c < cols / 4; c += 32) {
    float4 u = from[c], v = with[c];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (lane == 0) y[row] = sum;
}
