// SPDX-License-Identifier: Apache-2.0
// Divisions of 64-bit indices take most of the instructions. `strength_reduce` mends it.
/* kernelpro
axis   images = 64, channels = 96, pixels = 1024
check  images = 3, channels = 5, pixels = 77
input  x : f32[images, channels, pixels] ~ uniform(-1, 1)
input  bias : f32[images, channels] ~ uniform(-1, 1)
output y : f32[images, channels, pixels]
work   flops = images * channels * pixels
launch channel_bias<<<ceil_div(images * channels * pixels, 256), 256>>>(x, bias, y, channels, pixels, images * channels * pixels)
oracle launch expected<<<ceil_div(images * channels * pixels, 256), 256>>>(x, bias, y, pixels, images * channels * pixels)
*/
extern "C" __global__ void channel_bias(const float* x, const float* bias, float* y,
                                        long long channels, long long pixels, long long count) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  long long plane = i / pixels;
  long long image = plane / channels;
  long long channel = plane % channels;
  y[i] = x[i] + bias[image * channels + channel];
}

extern "C" __global__ void expected(const double* x, const double* bias, double* y, int pixels,
                                    int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] + bias[i / pixels];
}
