// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stalls.h"

#include <algorithm>
#include <span>

namespace kp::diagnose {
namespace {

struct Reason {
  Stall stall;
  MetricKey key;
};

constexpr std::array kMeasured{Reason{Stall::kLongScoreboard, metric::kStallLongScoreboard},
                               Reason{Stall::kShortScoreboard, metric::kStallShortScoreboard},
                               Reason{Stall::kMioThrottle, metric::kStallMioThrottle},
                               Reason{Stall::kLgThrottle, metric::kStallLgThrottle},
                               Reason{Stall::kBarrier, metric::kStallBarrier},
                               Reason{Stall::kMembar, metric::kStallMembar},
                               Reason{Stall::kMathPipe, metric::kStallMathPipe},
                               Reason{Stall::kFixedLatency, metric::kStallWait},
                               Reason{Stall::kNoInstruction, metric::kStallNoInstruction}};

constexpr std::array kModelled{Reason{Stall::kLongScoreboard, metric::kWaitLongScoreboard},
                               Reason{Stall::kShortScoreboard, metric::kWaitShortScoreboard},
                               Reason{Stall::kBarrier, metric::kWaitBarrier},
                               Reason{Stall::kFixedLatency, metric::kWaitFixedLatency},
                               Reason{Stall::kDrain, metric::kWaitDrain}};

/// Each known metric of `reasons` over `whole`; absent when none is known.
std::optional<Stalls> read(const KernelProfile& kernel, std::span<const Reason> reasons,
                           double whole) {
  Stalls stalls{.grade = Grade::kMeasured};
  bool known = false;
  for (const Reason& reason : reasons) {
    const std::optional<Metric> metric = kernel.metrics.find(reason.key.name);
    if (!metric) continue;
    stalls.shares[static_cast<std::size_t>(reason.stall)] =
        std::clamp(metric->value / whole, 0.0, 1.0);
    stalls.grade = std::max(stalls.grade, metric->grade);
    known = true;
  }
  if (!known) return std::nullopt;
  return stalls;
}

}  // namespace

std::string_view name_of(Stall reason) {
  switch (reason) {
    case Stall::kLongScoreboard:
      return "data of global memory";
    case Stall::kShortScoreboard:
      return "shared memory, shuffles or transcendentals";
    case Stall::kMioThrottle:
      return "room in the queue of shared memory and shuffles";
    case Stall::kLgThrottle:
      return "room in the queue of global accesses";
    case Stall::kBarrier:
      return "barriers";
    case Stall::kMembar:
      return "memory fences";
    case Stall::kMathPipe:
      return "a busy arithmetic pipe";
    case Stall::kFixedLatency:
      return "the result of the instruction before";
    case Stall::kNoInstruction:
      return "instructions to be fetched";
    case Stall::kDrain:
      return "stores to leave at the end";
  }
  return "nothing";
}

std::optional<double> Stalls::of(std::initializer_list<Stall> reasons) const {
  std::optional<double> sum;
  for (const Stall reason : reasons) {
    if (const std::optional<double> share = of(reason)) sum = sum.value_or(0) + *share;
  }
  return sum;
}

std::optional<Stall> Stalls::dominant() const {
  // An unknown share compares less than any known one.
  const auto* largest = std::max_element(shares.begin(), shares.end());
  if (largest->value_or(0) <= 0) return std::nullopt;
  return static_cast<Stall>(largest - shares.begin());
}

std::optional<Stalls> stalls_of(const KernelProfile& kernel) {
  if (const std::optional<Metric> latency = kernel.metrics.find(metric::kWarpLatency.name);
      latency && latency->value > 0) {
    if (std::optional<Stalls> stalls = read(kernel, kMeasured, latency->value)) {
      stalls->grade = std::max(stalls->grade, latency->grade);
      return stalls;
    }
  }
  return read(kernel, kModelled, 100);
}

MetricKey missing_stall() { return metric::kWarpLatency; }

double share_of_waiting(const Evidence& evidence, const ResourceTimes& times, double share) {
  const double idle = 1 - std::clamp(evidence.or_zero(metric::kIssueActive), 0.0, 1.0);
  return share_won(times, {.latency = 1 - std::min(share, idle)});
}

}  // namespace kp::diagnose
