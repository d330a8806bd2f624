// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 1 || output_count != 1) return 1;
  const int64_t rows = axes[0].value, cols = axes[1].value;
  const double* x = inputs[0].values;
  double* y = outputs[0].values;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) y[c * rows + r] = x[r * cols + c];
  }
  return 0;
}
