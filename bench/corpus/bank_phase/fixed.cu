// SPDX-License-Identifier: Apache-2.0
// How similar each row is to the next 32 of its block. Rows lie 36 floats apart.
/* kernelpro
axis   rows = 524288
check  rows = 256
input  x : f32[rows, 32] ~ normal
output y : f32[rows]
precision f32
work   flops = 2112 * rows
launch similar<<<rows / 128, 128>>>(x, y)
*/
#define PITCH 36
extern "C" __global__ void similar(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ __align__(16) float tile[128 * PITCH];
  const int first = blockIdx.x * 128;
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    const int at = k * 128 + threadIdx.x;
    tile[at / 32 * PITCH + at % 32] = x[first * 32 + at];
  }
  __syncthreads();
  const float4* rows = reinterpret_cast<const float4*>(tile);
  float4 mine[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) mine[k] = rows[threadIdx.x * (PITCH / 4) + k];
  float sum = 0;
  for (int s = 1; s <= 32; ++s) {
    const float4* other = rows + (threadIdx.x + s) % 128 * (PITCH / 4);
    float dot[4] = {};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float4 v = other[k];
      dot[0] = fmaf(mine[k].x, v.x, dot[0]);
      dot[1] = fmaf(mine[k].y, v.y, dot[1]);
      dot[2] = fmaf(mine[k].z, v.z, dot[2]);
      dot[3] = fmaf(mine[k].w, v.w, dot[3]);
    }
    sum += fabsf((dot[0] + dot[1]) + (dot[2] + dot[3]));
  }
  y[first + threadIdx.x] = sum;
}
