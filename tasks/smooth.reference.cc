// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 1 || output_count != 1) return 1;
  const int64_t height = axes[0].value, width = axes[1].value;
  const double* image = inputs[0].values;
  const double weight[3] = {0.25, 0.5,
                            0.25};  // the kernel is the outer product of this with itself
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      double sum = 0;
      for (int64_t dy = -1; dy <= 1; ++dy) {
        for (int64_t dx = -1; dx <= 1; ++dx) {
          const int64_t row = std::clamp<int64_t>(y + dy, 0, height - 1);
          const int64_t col = std::clamp<int64_t>(x + dx, 0, width - 1);
          sum += weight[dy + 1] * weight[dx + 1] * image[row * width + col];
        }
      }
      outputs[0].values[y * width + x] = sum;
    }
  }
  return 0;
}
