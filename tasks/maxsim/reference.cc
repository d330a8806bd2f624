// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>
#include <limits>
#include <numeric>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 4 || input_count != 2 || output_count != 1) return 1;
  const int64_t docs = axes[0].value, doc_tokens = axes[1].value;
  const int64_t query_tokens = axes[2].value, dim = axes[3].value;
  for (int64_t d = 0; d < docs; ++d) {
    double score = 0;
    for (int64_t q = 0; q < query_tokens; ++q) {
      const double* query = inputs[0].values + q * dim;
      double best = -std::numeric_limits<double>::infinity();
      for (int64_t t = 0; t < doc_tokens; ++t) {
        const double* token = inputs[1].values + (d * doc_tokens + t) * dim;
        best = std::max(best, std::inner_product(token, token + dim, query, 0.0));
      }
      score += best;
    }
    outputs[0].values[d] = score;
  }
  return 0;
}
