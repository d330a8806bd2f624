// SPDX-License-Identifier: Apache-2.0
#include "harness/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kp::harness {
namespace {

constexpr int kQuickPairs = 8;
constexpr int kLeastPairs = 30, kMostPairs = 200;  // final
constexpr double kHalfWidth = 0.01;                // of the median, final
constexpr double kSlowClock = 0.75;                // of the highest
constexpr double kClockDifference = 0.03;          // within a pair
constexpr double kMostVoid = 0.2;
constexpr int kFewVoid = 4;  // so many say nothing about the machine

bool bad(const device::GpuState& state) { return (state.reasons.value_or(0) & kBadReasons) != 0; }

}  // namespace

bool Samples::is_void(const Pair& pair) const {
  const std::optional<double> mine = pair.candidate.sm_hz;
  const auto slow = [this](const std::optional<double>& hz) {
    return hz && *hz < kSlowClock * clock_hz_;
  };
  if (slow(mine)) return true;
  if (!pair.baseline) return false;
  const std::optional<double> other = pair.baseline->sm_hz;
  if (slow(other)) return true;
  return mine && other && std::fabs(*mine - *other) > kClockDifference * std::max(*mine, *other);
}

int Samples::add(std::span<const Pair> pairs, const device::GpuState& before,
                 const device::GpuState& after) {
  const bool spoilt = bad(before) || bad(after);
  int voids = 0;
  for (const Pair& pair : pairs) {
    if (spoilt || is_void(pair)) {
      ++voids;
      continue;
    }
    times_.push_back(pair.candidate.nanoseconds);
    if (pair.baseline) ratios_.push_back(pair.baseline->nanoseconds / pair.candidate.nanoseconds);
  }
  void_ += voids;
  return voids;
}

bool Samples::enough() const {
  const int taken = pairs();
  if (depth_ == Depth::kQuick) return taken >= kQuickPairs || void_ >= 4 * kQuickPairs;
  if (taken + void_ >= kMostPairs) return true;
  if (taken < kLeastPairs) return false;
  const std::vector<double>& samples = ratios_.empty() ? times_ : ratios_;
  const stats::Interval interval = stats::bootstrap_median(samples);
  return 0.5 * (interval.high - interval.low) < kHalfWidth * stats::median(samples);
}

Result<void> Samples::check_voids() const {
  const int all = pairs() + void_;
  if (pairs() > 0 && (void_ <= kFewVoid || void_ <= kMostVoid * all)) return {};
  return fail(
      ErrorCode::kBusy,
      fmt::format("{} of {} samples are void: the GPU's clock was low or changed", void_, all),
      "wait until nothing else uses the GPU and it has cooled down, then repeat; "
      "`kernelpro doctor` shows its state");
}

std::optional<Speedup> Samples::speedup() const {
  if (ratios_.empty()) return {};
  const stats::Interval interval = stats::bootstrap_median(ratios_);
  return Speedup{stats::median(ratios_), interval.low, interval.high,
                 static_cast<int>(ratios_.size())};
}

}  // namespace kp::harness
