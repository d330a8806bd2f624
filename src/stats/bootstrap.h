// SPDX-License-Identifier: Apache-2.0
// The percentile bootstrap of any statistic.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/random.h"
#include "stats/stats.h"

namespace kp::stats {

struct Resampling {
  double confidence = 0.95;
  int resamples = 2000;
  std::uint64_t seed = 1;  // Philox key
};

/// Draws `x` with replacement and takes `statistic` of a std::vector<Value>&, which it may reorder.
/// Resamples of which it makes NaN are left out; NaN when none is left, or x is empty.
template <class Value, class Statistic>
Interval percentile_bootstrap(std::span<const Value> x, const Resampling& how,
                              Statistic statistic) {
  Random random(how.seed);
  std::vector<Value> sample(x.size());
  std::vector<double> estimates;
  for (int i = 0; i < how.resamples && !x.empty(); ++i) {
    for (Value& value : sample) value = x[random.below(x.size())];
    const double estimate = statistic(sample);
    if (estimate == estimate) estimates.push_back(estimate);
  }
  const double tail = 0.5 * (1.0 - how.confidence);
  return {quantile(estimates, tail), quantile(estimates, 1.0 - tail)};
}

}  // namespace kp::stats
