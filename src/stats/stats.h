// SPDX-License-Identifier: Apache-2.0
// Statistics of measurements; pure functions. Empty input gives NaN unless stated.
#pragma once
#include <cstdint>
#include <span>

namespace kp::stats {

double mean(std::span<const double> x);
double median(std::span<const double> x);
/// Linear interpolation between order statistics (Hyndman-Fan type 7); q in [0, 1].
double quantile(std::span<const double> x, double q);
/// exp(mean(log x)); every x must be > 0, else NaN.
double geometric_mean(std::span<const double> x);
double standard_deviation(std::span<const double> x);

struct Interval {
  double low = 0, high = 0;
};
/// Percentile bootstrap of the median, `resamples` draws with Philox key `seed`.
Interval bootstrap_median(std::span<const double> x, double confidence = 0.95, int resamples = 2000,
                          std::uint64_t seed = 1);
/// Percentile bootstrap of the geometric mean (x > 0).
Interval bootstrap_geometric_mean(std::span<const double> x, double confidence = 0.95,
                                  int resamples = 2000, std::uint64_t seed = 1);

/// Two-sided Wilcoxon signed-rank test of paired samples: exact for n <= 25 without ties, otherwise
/// the normal approximation with tie and continuity correction. Zero differences are dropped.
struct SignedRank {
  double statistic = 0;  // the smaller rank sum
  double p_value = 1;
  int pairs = 0;  // after dropping zeros
};
SignedRank wilcoxon(std::span<const double> x, std::span<const double> y);

}  // namespace kp::stats
