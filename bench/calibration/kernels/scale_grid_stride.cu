// SPDX-License-Identifier: Apache-2.0
// y = a x with a loop over the grid.
/* kernelpro
axis   n = 16777216
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch scale_grid_stride<<<1056, 256>>>(x, y, n)
*/
extern "C" __global__ void scale_grid_stride(const float* __restrict__ x, float* __restrict__ y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 2.5f * x[i] + 1.0f;
}
