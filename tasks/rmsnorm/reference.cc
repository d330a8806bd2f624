// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <cmath>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 3 || output_count != 1) return 1;
  const int64_t rows = axes[0].value, cols = axes[1].value;
  const double *weight = inputs[1].values, eps = inputs[2].values[0];
  for (int64_t r = 0; r < rows; ++r) {
    const double* x = inputs[0].values + r * cols;
    double* y = outputs[0].values + r * cols;
    double squares = 0;
    for (int64_t c = 0; c < cols; ++c) squares += x[c] * x[c];
    const double scale = 1 / std::sqrt(squares / static_cast<double>(cols) + eps);
    for (int64_t c = 0; c < cols; ++c) y[c] = x[c] * scale * weight[c];
  }
  return 0;
}
