// SPDX-License-Identifier: Apache-2.0
// A product instead of the division.
/* kernelpro
launch step<<<(ceil_div(width, 16), ceil_div(height, 16)), (16, 16)>>>(u, rate, next, height, width)
*/
extern "C" __global__ void step(const float* u, float rate, float* next, int height, int width) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= height || col >= width) return;
  int i = row * width + col;
  if (row < 2 || row >= height - 2 || col < 2 || col >= width - 2) {
    next[i] = u[i];
    return;
  }
  float near = u[i - 1] + u[i + 1] + u[i - width] + u[i + width];
  float far = u[i - 2] + u[i + 2] + u[i - 2 * width] + u[i + 2 * width];
  next[i] = u[i] + rate * (16.0f * near - far - 60.0f * u[i]) * (1.0f / 12.0f);
}
