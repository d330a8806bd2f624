// SPDX-License-Identifier: Apache-2.0
#include <kernelpro/reference.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

extern "C" int kernelpro_reference(const kp_axis* axes, int32_t axis_count, const kp_tensor* inputs,
                                   int32_t input_count, kp_tensor* outputs, int32_t output_count) {
  if (axis_count != 2 || input_count != 3 || output_count != 1) return 1;
  const int64_t rows = axes[0].value, dim = axes[1].value;
  const double *q = inputs[0].values, *k = inputs[1].values, *v = inputs[2].values;
  for (int64_t row = 0; row < rows; ++row) {
    double* out = outputs[0].values + row * dim;
    std::vector<double> weights(static_cast<size_t>(row) + 1);
    for (int64_t j = 0; j <= row; ++j) {
      const double* key = k + j * dim;
      weights[j] = std::inner_product(key, key + dim, q + row * dim, 0.0) / std::sqrt(dim);
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) weight = std::exp(weight - largest);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::fill(out, out + dim, 0.0);
    for (int64_t j = 0; j <= row; ++j) {
      for (int64_t d = 0; d < dim; ++d) out[d] += weights[j] / sum * v[j * dim + d];
    }
  }
  return 0;
}
