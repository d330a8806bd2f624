// SPDX-License-Identifier: Apache-2.0
// One step of the heat equation, one thread per point; neighbours come from global memory.
/* kernelpro
tune ROWS in 8, 4, 2
launch step<<<(ceil_div(width, 32), ceil_div(height, 8 * ROWS)), (32, 8)>>>(u, rate, next, height, width)
*/
extern "C" __global__ void step(const float* u, float rate, float* next, int height, int width) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int kp_row = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
  const auto kp_place = [&](const int row) { return col + row * width; };
  // What the points of this thread need, loaded once. Places outside of the array are never used.
  float kp_window0[ROWS];
  float kp_window1[ROWS];
  float kp_window2[ROWS + 4];
  float kp_window3[ROWS];
  float kp_window4[ROWS];
  if (kp_place(kp_row - 2) - 2 >= 0 && kp_place(kp_row + ROWS - 1 + 2) + 2 < height * width) {
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window0[kp_r] = u[kp_place(kp_row + kp_r) - 2];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window1[kp_r] = u[kp_place(kp_row + kp_r) - 1];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS + 4; ++kp_r) kp_window2[kp_r] = u[kp_place(kp_row + kp_r - 2)];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window3[kp_r] = u[kp_place(kp_row + kp_r) + 1];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window4[kp_r] = u[kp_place(kp_row + kp_r) + 2];
  } else {
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window0[kp_r] = u[min(max(kp_place(kp_row + kp_r) - 2, 0), height * width - 1)];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window1[kp_r] = u[min(max(kp_place(kp_row + kp_r) - 1, 0), height * width - 1)];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS + 4; ++kp_r) kp_window2[kp_r] = u[min(max(kp_place(kp_row + kp_r - 2), 0), height * width - 1)];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window3[kp_r] = u[min(max(kp_place(kp_row + kp_r) + 1, 0), height * width - 1)];
#pragma unroll
    for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_window4[kp_r] = u[min(max(kp_place(kp_row + kp_r) + 2, 0), height * width - 1)];
  }
  const auto kp_point = [&](const int row, const int kp_r) {
    if (row >= height || col >= width) return;
    int i = row * width + col;
    if (row < 2 || row >= height - 2 || col < 2 || col >= width - 2) {
      next[i] = kp_window2[kp_r + 2];
      return;
    }
    float near = kp_window1[kp_r] + kp_window3[kp_r] + kp_window2[kp_r + 1] + kp_window2[kp_r + 3];
    float far = kp_window0[kp_r] + kp_window4[kp_r] + kp_window2[kp_r] + kp_window2[kp_r + 4];
    next[i] = kp_window2[kp_r + 2] + rate * (16.0f * near - far - 60.0f * kp_window2[kp_r + 2]) / 12.0f;
  };
#pragma unroll
  for (int kp_r = 0; kp_r < ROWS; ++kp_r) kp_point(kp_row + kp_r, kp_r);
}
