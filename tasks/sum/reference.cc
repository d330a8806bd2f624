// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis*, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 1 || input_count != 1 || output_count != 1) return 1;
  double total = 0;
  for (int64_t i = 0; i < inputs[0].count; ++i) total += inputs[0].values[i];
  outputs[0].values[0] = total;
  return 0;
}
