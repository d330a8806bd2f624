// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 3 || input_count != 2 || output_count != 1) return 1;
  const int64_t m = axes[0].value, n = axes[1].value, k = axes[2].value;
  const double *a = inputs[0].values, *b = inputs[1].values;
  double* c = outputs[0].values;
  std::fill(c, c + m * n, 0.0);
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t i = 0; i < k; ++i) {
      for (int64_t col = 0; col < n; ++col) c[row * n + col] += a[row * k + i] * b[i * n + col];
    }
  }
  return 0;
}
