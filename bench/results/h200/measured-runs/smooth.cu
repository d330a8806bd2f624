// SPDX-License-Identifier: Apache-2.0
// A smoothing filter over an image: the 3x3 binomial kernel, borders clamped.
/* kernelpro
axis   height = 2048, width = 2048
check  height = 61, width = 131
check  height = 128, width = 64
input  image : f32[height, width] ~ normal
output smoothed : f32[height, width]
precision f32
work   flops = 17 * height * width, bytes = 8 * height * width
launch smooth<<<(ceil_div(width, 32), ceil_div(height, 8)), (32, 8)>>>(image, smoothed, height, width)
*/
extern "C" __global__ void smooth(const float* image, float* smoothed, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  int left = max(x - 1, 0), right = min(x + 1, width - 1);
  const float* above = image + max(y - 1, 0) * width;
  const float* middle = image + y * width;
  const float* below = image + min(y + 1, height - 1) * width;

  smoothed[y * width + x] = 0.25f * middle[x] +
                            0.125f * (middle[left] + middle[right] + above[x] + below[x]) +
                            0.0625f * (above[left] + above[right] + below[left] + below[right]);
}
