// SPDX-License-Identifier: Apache-2.0
// The task that the kernels of this folder try to solve: every row reversed and doubled. This one is right.
/* kernelpro
axis   rows = 8192, cols = 2048
check  rows = 5, cols = 77
check  rows = 8, cols = 128
input  x : f32[rows, cols] ~ normal
output y : f32[rows, cols]
precision f32
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
}
