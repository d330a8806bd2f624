// SPDX-License-Identifier: Apache-2.0
// Rows turned round, each element after 64 steps of a recursion: the task of the hostile
// candidates.
/* kernelpro
axis   rows = 2048, cols = 1024
check  rows = 67, cols = 257
input  x : f32[rows, cols] ~ normal
input  bias : f32[cols] ~ normal
output y : f32[rows, cols]
precision f32
work   bytes = 8 * rows * cols
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = grown(x[row + cols - 1 - c], bias[c]);
}
