// SPDX-License-Identifier: Apache-2.0
// Each thread computes four points of a column and keeps what they share.
/* kernelpro
launch step<<<(ceil_div(width, 16), ceil_div(height, 64)), (16, 16)>>>(u, rate, next, height, width)
*/
extern "C" __global__ void step(const float* u, float rate, float* next, int height, int width) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int first = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  if (first >= height || col >= width) return;
  float column[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int row = min(max(first + k - 2, 0), height - 1);
    column[k] = u[row * width + col];
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = first + k, i = row * width + col;
    if (row >= height) return;
    if (row < 2 || row >= height - 2 || col < 2 || col >= width - 2) {
      next[i] = column[k + 2];
      continue;
    }
    float near = u[i - 1] + u[i + 1] + column[k + 1] + column[k + 3];
    float far = u[i - 2] + u[i + 2] + column[k] + column[k + 4];
    next[i] = column[k + 2] + rate * (16.0f * near - far - 60.0f * column[k + 2]) / 12.0f;
  }
}
