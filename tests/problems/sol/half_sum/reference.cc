// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 3 || input_count != 1 || output_count != 1) return 1;
  const int64_t batch = axes[0].value, width = axes[1].value, half = axes[2].value;
  for (int64_t b = 0; b < batch; ++b) {
    const double* row = inputs[0].values + b * width;
    for (int64_t i = 0; i < half; ++i) outputs[0].values[b * half + i] = row[i] + row[half + i];
  }
  return 0;
}
