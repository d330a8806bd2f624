// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t, const kp_tensor* inputs, int32_t,
                                   kp_tensor* outputs, int32_t) {
  const int64_t count = axes[0].value * axes[1].value;
  for (int64_t i = 0; i < count; ++i) outputs[0].values[i] = 2 * inputs[0].values[i];
  return 0;
}
