// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "stats/bootstrap.h"

namespace kp::stats {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostExactPairs = 25;

std::vector<double> sorted(std::span<const double> x) {
  std::vector<double> order(x.begin(), x.end());
  std::sort(order.begin(), order.end());
  return order;
}

double quantile_of_sorted(const std::vector<double>& x, double q) {
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(x.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, x.size() - 1);
  return x[below] + (at - static_cast<double>(below)) * (x[above] - x[below]);
}

// The median in linear time; reorders x.
double median_in_place(std::vector<double>& x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  if (x.size() % 2 == 1) return *middle;
  return 0.5 * (*std::max_element(x.begin(), middle) + *middle);
}

struct Ranks {
  double plus = 0, minus = 0;  // rank sums of the positive and the negative differences
  double tie_term = 0;         // sum of t^3 - t over groups of t equal magnitudes
};

// Equal magnitudes share the mean of their ranks.
Ranks signed_ranks(std::vector<double> differences) {
  std::sort(differences.begin(), differences.end(),
            [](double a, double b) { return std::abs(a) < std::abs(b); });
  Ranks ranks;
  for (std::size_t first = 0; first < differences.size();) {
    std::size_t end = first;
    while (end < differences.size() && std::abs(differences[end]) == std::abs(differences[first])) {
      ++end;
    }
    const double size = static_cast<double>(end - first);
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    for (; first < end; ++first) (differences[first] > 0 ? ranks.plus : ranks.minus) += rank;
    ranks.tie_term += size * size * size - size;
  }
  return ranks;
}

// P(W <= statistic) counted over all 2^n sign patterns.
double exact_lower_tail(int pairs, double statistic) {
  const int most = pairs * (pairs + 1) / 2;
  std::vector<double> patterns(static_cast<std::size_t>(most) + 1, 0.0);
  patterns[0] = 1.0;
  for (int rank = 1; rank <= pairs; ++rank) {
    for (int sum = most; sum >= rank; --sum) {
      patterns[static_cast<std::size_t>(sum)] += patterns[static_cast<std::size_t>(sum - rank)];
    }
  }
  const auto end = patterns.begin() + static_cast<std::ptrdiff_t>(statistic) + 1;
  return std::accumulate(patterns.begin(), end, 0.0) * std::exp2(-pairs);
}

double normal_two_sided(double pairs, const Ranks& ranks) {
  const double expected = pairs * (pairs + 1.0) / 4.0;
  const double variance =
      pairs * (pairs + 1.0) * (2.0 * pairs + 1.0) / 24.0 - ranks.tie_term / 48.0;
  const double distance = expected - std::min(ranks.plus, ranks.minus);
  const double z = std::max(0.0, distance - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

}  // namespace

double mean(std::span<const double> x) {
  if (x.empty()) return kNaN;
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double median(std::span<const double> x) { return quantile(x, 0.5); }

double quantile(std::span<const double> x, double q) {
  return x.empty() ? kNaN : quantile_of_sorted(sorted(x), q);
}

double geometric_mean(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) {
    if (!(value > 0.0)) return kNaN;
    sum += std::log(value);
  }
  return x.empty() ? kNaN : std::exp(sum / static_cast<double>(x.size()));
}

double standard_deviation(std::span<const double> x) {
  if (x.size() < 2) return kNaN;
  const double center = mean(x);
  double squares = 0.0;
  for (const double value : x) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(x.size() - 1));
}

Interval bootstrap_median(std::span<const double> x, double confidence, int resamples,
                          std::uint64_t seed) {
  return percentile_bootstrap(x, {confidence, resamples, seed}, median_in_place);
}

Interval bootstrap_geometric_mean(std::span<const double> x, double confidence, int resamples,
                                  std::uint64_t seed) {
  if (std::isnan(geometric_mean(x))) return {kNaN, kNaN};
  return percentile_bootstrap(
      x, {confidence, resamples, seed},
      [](const std::vector<double>& sample) { return geometric_mean(sample); });
}

SignedRank wilcoxon(std::span<const double> x, std::span<const double> y) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (x[i] != y[i]) differences.push_back(x[i] - y[i]);
  }
  const int pairs = static_cast<int>(differences.size());
  if (pairs == 0) return {};
  const Ranks ranks = signed_ranks(std::move(differences));
  const double statistic = std::min(ranks.plus, ranks.minus);
  const bool exact = pairs <= kMostExactPairs && ranks.tie_term == 0;
  const double p =
      exact ? 2.0 * exact_lower_tail(pairs, statistic) : normal_two_sided(pairs, ranks);
  return {statistic, std::min(1.0, p), pairs};
}

}  // namespace kp::stats
