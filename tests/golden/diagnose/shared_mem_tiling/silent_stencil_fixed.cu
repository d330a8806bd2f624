// SPDX-License-Identifier: Apache-2.0
// The same mean: a tile with its border in shared memory, sums of rows first, eight outputs down a
// column in each thread.
/* kernelpro
axis   height = 2048, width = 2048
check  height = 61, width = 131
input  image : f32[height, width] ~ normal
output mean : f32[height, width]
precision f32
work   flops = 50 * height * width, bytes = 8 * height * width
launch box<<<(ceil_div(width, 64), ceil_div(height, 32)), (64, 4)>>>(image, mean, height, width)
*/
extern "C" __global__ void box(const float* image, float* mean, int height, int width) {
  __shared__ float tile[38][72];
  const int left = blockIdx.x * 64, top = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 38; y += 4) {
    const float* row = image + min(max(top + y - 3, 0), height - 1) * width;
    for (int x = threadIdx.x; x < 70; x += 64)
      tile[y][x] = row[min(max(left + x - 3, 0), width - 1)];
  }
  __syncthreads();
  const int x = threadIdx.x, first = threadIdx.y * 8;
  float rows[14];
#pragma unroll
  for (int r = 0; r < 14; ++r) {
    rows[r] = 0.0f;
#pragma unroll
    for (int dx = 0; dx < 7; ++dx) rows[r] += tile[first + r][x + dx];
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    float sum = 0.0f;
#pragma unroll
    for (int dy = 0; dy < 7; ++dy) sum += rows[r + dy];
    if (left + x < width && top + first + r < height) {
      mean[(top + first + r) * width + left + x] = sum / 49.0f;
    }
  }
}
