// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t, const kp_tensor* inputs, int32_t,
                                   kp_tensor* outputs, int32_t) {
  const int64_t rows = axes[0].value, cols = axes[1].value;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c)
      outputs[0].values[r * cols + cols - 1 - c] = 2 * inputs[0].values[r * cols + c];
  }
  return 0;
}
