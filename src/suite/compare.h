// SPDX-License-Identifier: Apache-2.0
// Two arms, run by run: is one better than the other?
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stats/sign_test.h"
#include "suite/figures.h"
#include "suite/report_tables.h"
#include "suite/table.h"

namespace kp::suite {

/// One arm of one folder of results.
struct Side {
  std::string name;  // as the user wrote it
  std::string arm;
  std::vector<RunResult> runs;
  std::vector<Noise> noise;
};
/// "DIR", where the suite has one arm, or "DIR:ARM". kNotFound lists the arms.
Result<Side> read_side(const std::string& text);

/// Ratios within this of 1 are a tie: equal versions differ by about 1e-5 on the virtual GPU, whose
/// caches see where arrays lie, and by more on any real one.
inline constexpr double kSameSpeed = 1e-4;

/// The same task and seed on both sides. A side that found nothing counts as 1x.
struct Pair {
  std::string task;
  std::uint64_t seed = 1;
  double a = 1, b = 1;  // speedups over the same baseline
  bool failed_a = false, failed_b = false;
  /// Nearer than kSameSpeed: neither won.
  bool tied() const;
  std::optional<Noise> noise;  // of the task, where it was recorded
};

/// Pairs of one grade on one product.
struct Comparison {
  Grade grade = Grade::kModelled;
  std::string product;
  std::vector<Pair> pairs;
  stats::SignedRank wilcoxon;  // on ln a and ln b
  stats::SignTest sign;
  Estimate ratio;  // of the geometric means, a over b; tasks are drawn for the interval
};

struct Compared {
  std::string a, b;  // names of the sides
  std::vector<Comparison> comparisons;
  std::vector<std::string> left_out;  // why a pair is in none of them
};

/// kInvalidInput when times that were modelled would stand against measured ones, or times of two
/// products against each other; and when no pair is left.
Result<Compared> compare(const Side& a, const Side& b);

std::vector<Table> compare_tables(const Compared& compared);
nlohmann::json compare_json(const Compared& compared);

}  // namespace kp::suite
