// SPDX-License-Identifier: Apache-2.0
#include "harness/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kp::harness {
namespace {

constexpr int kQuickPairs = 8;
constexpr int kLeastPairs = 30, kMostPairs = 200;  // final
constexpr double kHalfWidth = 0.01;                // of the median, final
constexpr double kSlowClock = 0.75;                // of the highest
constexpr double kIdleClock = 0.5;                 // below, the GPU was not awake yet
constexpr double kClockDifference = 0.03;          // within a pair
constexpr double kMostVoid = 0.2;
constexpr int kFewVoid = 4;  // so many say nothing about the machine

bool names(const device::GpuState& state, std::uint64_t reasons) {
  return (state.reasons.value_or(0) & reasons) != 0;
}

std::string in_gigahertz(const std::optional<double>& hertz) {
  return hertz ? fmt::format("{:.2f} GHz", *hertz * 1e-9) : "an unknown clock";
}

}  // namespace

/// `capped`: NVML says that the power limit holds the clock down.
Samples::Clock Samples::clock_of(const Pair& pair, bool capped) const {
  const std::optional<double> mine = pair.candidate.sm_hz;
  const std::optional<double> other = pair.baseline ? pair.baseline->sm_hz : std::nullopt;
  const bool both = mine && other;
  if (both && std::fabs(*mine - *other) > kClockDifference * std::max(*mine, *other))
    return Clock::kVoidChanged;
  const double lowest = std::min(mine.value_or(clock_hz_), other.value_or(clock_hz_));
  if (lowest >= kSlowClock * clock_hz_) return Clock::kGood;
  if (lowest < kIdleClock * clock_hz_) return Clock::kVoidSlow;
  return both || capped ? Clock::kSlow : Clock::kVoidSlow;
}

bool Samples::counts(const Pair& pair, bool capped) {
  const Clock clock = clock_of(pair, capped);
  if (clock == Clock::kVoidSlow) ++voids_.slow;
  if (clock == Clock::kVoidChanged) ++voids_.changed;
  if (clock == Clock::kSlow) ++slow_;
  return clock == Clock::kGood || clock == Clock::kSlow;
}

int Samples::add(std::span<const Pair> pairs, const device::GpuState& before,
                 const device::GpuState& after) {
  const bool spoilt = names(before, kBadReasons) || names(after, kBadReasons);
  const bool capped = names(before, kPowerCap) || names(after, kPowerCap);
  const int void_before = void_pairs();
  for (const Pair& pair : pairs) {
    if (spoilt) ++voids_.limited;
    if (spoilt || !counts(pair, capped)) {
      last_void_ = pair;
      continue;
    }
    times_.push_back(pair.candidate.nanoseconds);
    if (pair.baseline) ratios_.push_back(pair.baseline->nanoseconds / pair.candidate.nanoseconds);
  }
  return void_pairs() - void_before;
}

bool Samples::enough() const {
  const int taken = pairs();
  if (depth_ == Depth::kQuick) return taken >= kQuickPairs || void_pairs() >= 4 * kQuickPairs;
  if (taken + void_pairs() >= kMostPairs) return true;
  if (taken < kLeastPairs) return false;
  const std::vector<double>& samples = ratios_.empty() ? times_ : ratios_;
  const stats::Interval interval = stats::bootstrap_median(samples);
  return 0.5 * (interval.high - interval.low) < kHalfWidth * stats::median(samples);
}

Result<void> Samples::check_voids() const {
  const int bad = void_pairs(), all = pairs() + bad;
  if (pairs() > 0 && (bad <= kFewVoid || bad <= kMostVoid * all)) return {};
  std::vector<std::string> why;
  if (voids_.slow > 0) why.push_back(fmt::format("{} at a low clock", voids_.slow));
  if (voids_.changed > 0)
    why.push_back(fmt::format("{} at a clock that changed within the pair", voids_.changed));
  if (voids_.limited > 0)
    why.push_back(fmt::format("{} while heat, power or hardware slowed the GPU", voids_.limited));
  std::string last;
  if (last_void_) last = in_gigahertz(last_void_->candidate.sm_hz);
  if (last_void_ && last_void_->baseline)
    last += ", beside the baseline's " + in_gigahertz(last_void_->baseline->sm_hz);
  return fail(ErrorCode::kBusy,
              fmt::format("{} of {} samples are void: {}; the last ran at {}, the highest clock is "
                          "{}",
                          bad, all, join(why, ", "), last, in_gigahertz(clock_hz_)),
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
