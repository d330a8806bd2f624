// SPDX-License-Identifier: Apache-2.0
// The mean over 7 x 7 neighbours, borders clamped; each thread loads all 49.
/* kernelpro
axis   height = 2048, width = 2048
check  height = 61, width = 131
input  image : f32[height, width] ~ normal
output mean : f32[height, width]
precision f32
work   flops = 50 * height * width, bytes = 8 * height * width
launch box<<<(ceil_div(width, 32), ceil_div(height, 8)), (32, 8)>>>(image, mean, height, width)
*/
extern "C" __global__ void box(const float* image, float* mean, int height, int width) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -3; dy <= 3; ++dy) {
    const float* row = image + min(max(y + dy, 0), height - 1) * width;
    for (int dx = -3; dx <= 3; ++dx) sum += row[min(max(x + dx, 0), width - 1)];
  }
  mean[y * width + x] = sum / 49.0f;
}
