// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 3 || input_count != 3 || output_count != 1) return 1;
  const int64_t rows = axes[0].value, table_rows = axes[1].value, width = axes[2].value;
  const double scale = inputs[2].values[0];
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t from = (int64_t)inputs[1].values[r];
    if (from < 0 || from >= table_rows) return 2;
    for (int64_t c = 0; c < width; ++c)
      outputs[0].values[r * width + c] = inputs[0].values[from * width + c] * scale;
  }
  return 0;
}
