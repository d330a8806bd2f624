// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 1 || output_count != 1) return 1;
  double* counts = outputs[0].values;
  for (int64_t bin = 0; bin < axes[1].value; ++bin) counts[bin] = 0;
  for (int64_t i = 0; i < inputs[0].count; ++i) {
    counts[static_cast<int64_t>(inputs[0].values[i])] += 1;
  }
  return 0;
}
