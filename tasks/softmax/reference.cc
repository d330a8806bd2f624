// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>
#include <cmath>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 1 || output_count != 1) return 1;
  const int64_t rows = axes[0].value, cols = axes[1].value;
  for (int64_t r = 0; r < rows; ++r) {
    const double* x = inputs[0].values + r * cols;
    double* y = outputs[0].values + r * cols;
    const double largest = *std::max_element(x, x + cols);
    double sum = 0;
    for (int64_t c = 0; c < cols; ++c) sum += y[c] = std::exp(x[c] - largest);
    for (int64_t c = 0; c < cols; ++c) y[c] /= sum;
  }
  return 0;
}
