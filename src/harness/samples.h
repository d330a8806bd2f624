// SPDX-License-Identifier: Apache-2.0
// The samples of a contest: which pairs count, what they say, and when there are enough of them.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/hardware.h"
#include "model/evaluation.h"
#include "stats/stats.h"

namespace kp::harness {

/// Candidate and baseline, one after the other; nanoseconds of one run of the plan. Without a
/// baseline its half is absent.
struct Pair {
  device::LapTime candidate;
  std::optional<device::LapTime> baseline;
};

/// Enough for a quick verdict, unless they disagree and more cost next to nothing.
inline constexpr int kQuickPairs = 8;

class Samples {
 public:
  /// `clock_hz`: the highest SM clock.
  Samples(Depth depth, double clock_hz) : depth_(depth), clock_hz_(clock_hz) {}

  /// `before` and `after`: why clocks were low around the round in which the pairs were taken.
  /// Returns how many more pairs are void than before.
  int add(std::span<const Pair> pairs, const device::GpuState& before,
          const device::GpuState& after);
  /// Enough pairs for this depth, or as many as are ever taken.
  bool enough() const;
  /// kBusy when more than a fifth of the pairs was void, with the reasons.
  Result<void> check_voids() const;

  double nanoseconds() const { return stats::median(times_); }
  stats::Interval interval() const { return stats::bootstrap_median(times_); }
  std::optional<Speedup> speedup() const;
  int void_pairs() const { return voids_.all(); }
  /// Pairs that count although their clock was low: both sides' were known, or the power limit is
  /// why.
  int slow_pairs() const { return slow_; }
  int pairs() const { return static_cast<int>(times_.size()); }
  /// The usual clock of each side; absent when no lap told it.
  std::optional<double> candidate_hz() const { return usual_.candidate; }
  std::optional<double> baseline_hz() const { return usual_.baseline; }

 private:
  struct Taken {
    Pair pair;
    bool spoilt, capped;  // by what NVML says of the round
  };
  struct Usual {
    std::optional<double> candidate, baseline;
  };
  enum class Clock { kGood, kSlow, kVoidSlow, kVoidChanged };
  struct Voids {
    int slow = 0, changed = 0, limited = 0;  // low clock, another than usual, a reason of NVML's
    int all() const { return slow + changed + limited; }
  };
  void sort_out();
  bool narrow() const;
  Usual usual_clocks() const;
  Clock clock_of(const Taken& taken) const;
  bool counts(const Taken& taken);

  Depth depth_;
  double clock_hz_;
  std::vector<Taken> taken_;
  double lap_nanoseconds_ = 0;  // of all laps
  // All below follows from taken_.
  Usual usual_;
  std::vector<double> times_, ratios_;  // of pairs that count
  Voids voids_;
  int slow_ = 0;
  std::optional<Pair> last_void_;
};

/// A bit of NVML's clocks event reasons: the clock is what the power limit allows.
inline constexpr std::uint64_t kPowerCap = 0x4;
/// Those that spoil a measurement.
inline constexpr std::uint64_t kBadReasons = 0x8 |   // hardware slowdown
                                             0x20 |  // software thermal
                                             0x40 |  // hardware thermal
                                             0x80;   // power brake

}  // namespace kp::harness
