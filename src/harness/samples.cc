// SPDX-License-Identifier: Apache-2.0
#include "harness/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kp::harness {
namespace {

constexpr int kQuickMostPairs = 40;
constexpr double kQuickLapsNs = 50e6;  // beyond kQuickPairs only while all laps took less
constexpr int kLeastPairs = 30, kMostPairs = 200;  // final
constexpr double kHalfWidth = 0.01;                // of the median
constexpr double kSlowClock = 0.75;                // of the highest
constexpr double kIdleClock = 0.5;                 // below, the GPU was not awake yet
constexpr double kClockDifference = 0.03;          // from what is usual for that side
constexpr double kMostVoid = 0.2;
constexpr int kFewVoid = 4;  // so many say nothing about the machine

bool names(const device::GpuState& state, std::uint64_t reasons) {
  return (state.reasons.value_or(0) & reasons) != 0;
}

bool unusual(const std::optional<double>& clock, const std::optional<double>& usual) {
  return clock && usual && std::fabs(*clock - *usual) > kClockDifference * *usual;
}

std::string in_gigahertz(const std::optional<double>& hertz) {
  return hertz ? fmt::format("{:.2f} GHz", *hertz * 1e-9) : "an unknown clock";
}

}  // namespace

/// A kernel's clock is a property of it: on an H200 one that keeps the tensor cores busy runs at
/// 1.90 GHz where scalar ones run at 1.98, every time, and that is what its users get. So each side
/// is compared with its own usual clock; one that differs from it was disturbed.
Samples::Usual Samples::usual_clocks() const {
  std::vector<double> candidate, baseline;
  for (const Taken& taken : taken_) {
    const std::optional<device::LapTime>& other = taken.pair.baseline;
    if (taken.pair.candidate.sm_hz) candidate.push_back(*taken.pair.candidate.sm_hz);
    if (other && other->sm_hz) baseline.push_back(*other->sm_hz);
  }
  Usual usual;
  if (!candidate.empty()) usual.candidate = stats::median(candidate);
  if (!baseline.empty()) usual.baseline = stats::median(baseline);
  return usual;
}

Samples::Clock Samples::clock_of(const Taken& taken) const {
  const std::optional<double> mine = taken.pair.candidate.sm_hz;
  const std::optional<double> other =
      taken.pair.baseline ? taken.pair.baseline->sm_hz : std::nullopt;
  const double lowest = std::min(mine.value_or(clock_hz_), other.value_or(clock_hz_));
  if (lowest < kIdleClock * clock_hz_) return Clock::kVoidSlow;
  if (unusual(mine, usual_.candidate) || unusual(other, usual_.baseline))
    return Clock::kVoidChanged;
  if (lowest >= kSlowClock * clock_hz_) return Clock::kGood;
  return (mine && other) || taken.capped ? Clock::kSlow : Clock::kVoidSlow;
}

bool Samples::counts(const Taken& taken) {
  if (taken.spoilt) {
    ++voids_.limited;
    return false;
  }
  const Clock clock = clock_of(taken);
  if (clock == Clock::kVoidSlow) ++voids_.slow;
  if (clock == Clock::kVoidChanged) ++voids_.changed;
  if (clock == Clock::kSlow) ++slow_;
  return clock == Clock::kGood || clock == Clock::kSlow;
}

/// What is usual is only known at the end, so each round judges all pairs again.
void Samples::sort_out() {
  usual_ = usual_clocks();
  times_.clear();
  ratios_.clear();
  voids_ = {};
  slow_ = 0;
  for (const Taken& taken : taken_) {
    const Pair& pair = taken.pair;
    if (!counts(taken)) {
      last_void_ = pair;
      continue;
    }
    times_.push_back(pair.candidate.nanoseconds);
    if (pair.baseline) ratios_.push_back(pair.baseline->nanoseconds / pair.candidate.nanoseconds);
  }
}

int Samples::add(std::span<const Pair> pairs, const device::GpuState& before,
                 const device::GpuState& after) {
  const bool spoilt = names(before, kBadReasons) || names(after, kBadReasons);
  const bool capped = names(before, kPowerCap) || names(after, kPowerCap);
  const int void_before = void_pairs();
  for (const Pair& pair : pairs) {
    taken_.push_back({pair, spoilt, capped});
    lap_nanoseconds_ += pair.candidate.nanoseconds;
    if (pair.baseline) lap_nanoseconds_ += pair.baseline->nanoseconds;
  }
  sort_out();
  return std::max(0, void_pairs() - void_before);
}

bool Samples::narrow() const {
  const std::vector<double>& samples = ratios_.empty() ? times_ : ratios_;
  const stats::Interval interval = stats::bootstrap_median(samples);
  return 0.5 * (interval.high - interval.low) < kHalfWidth * stats::median(samples);
}

bool Samples::enough() const {
  const int taken = pairs();
  const bool quick = depth_ == Depth::kQuick;
  if (taken + void_pairs() >= (quick ? kQuickMostPairs : kMostPairs)) return true;
  if (taken < (quick ? kQuickPairs : kLeastPairs)) return false;
  return narrow() || (quick && lap_nanoseconds_ >= kQuickLapsNs);
}

Result<void> Samples::check_voids() const {
  const int bad = void_pairs(), all = pairs() + bad;
  if (pairs() > 0 && (bad <= kFewVoid || bad <= kMostVoid * all)) return {};
  std::vector<std::string> why;
  if (voids_.slow > 0) why.push_back(fmt::format("{} at a low clock", voids_.slow));
  if (voids_.changed > 0)
    why.push_back(fmt::format("{} at another clock than usual", voids_.changed));
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
