// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 3 || input_count != 3 || output_count != 1) return 1;
  const int64_t terms = axes[0].value, postings = axes[1].value, docs = axes[2].value;
  const double *ids = inputs[0].values, *impacts = inputs[1].values, *weights = inputs[2].values;
  double* scores = outputs[0].values;
  std::fill(scores, scores + docs, 0.0);
  for (int64_t t = 0; t < terms; ++t) {
    for (int64_t i = t * postings; i < (t + 1) * postings; ++i) {
      scores[static_cast<int64_t>(ids[i])] += weights[t] * impacts[i];
    }
  }
  return 0;
}
