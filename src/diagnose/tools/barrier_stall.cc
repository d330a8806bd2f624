// SPDX-License-Identifier: Apache-2.0
// Sees:           warps that wait at barriers or fences for a large part of their time, in a kernel
//                 that latency bounds.
// Costs because:  a barrier waits for the slowest warp of the block, and nothing overlaps it.
// Try:            shuffles instead of a tree with a barrier for each level; a second buffer, so
//                 that each tile needs one barrier; smaller blocks; a narrower scope.
// Misleads when:  other blocks of the SM run meanwhile (issue slots are used: the share is capped).
// Source:         CUDA C++ Best Practices Guide; stall reasons barrier and membar of Nsight
//                 Compute.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeast = 0.15;        // of a warp's time: info; own
constexpr double kMuch = 0.30;         // may be more than info; own
constexpr double kLargeBlock = 512;    // threads; own
constexpr double kTreeAccesses = 3;    // shared loads a barrier of a tree, at most: two operands
constexpr double kKeptByShuffles = 2;  // barriers a warp; own
constexpr double kHalf = 0.5;          // of the waiting goes when every second barrier does
constexpr double kOfSteps = 0.6;       // of the waiting, for the work between barriers; own
constexpr double kCap = 2;             // speed-up, where more than half of the time is other; own

constexpr std::array kNeeds{metric::kBlockSize};
constexpr std::array kOfCode{metric::kSassInnerInst, metric::kSassInnerBarrier};

/// How the kernel uses its barriers.
struct Pattern {
  double per_warp = 0;                 // barriers; 0: unknown
  double loads = 0;                    // shared loads of a warp for each barrier
  double threads = 0;                  // of a block
  double fences = 0, at_barriers = 0;  // shares of a warp's time
  bool estimated = false;              // barriers: from the machine code
  bool tree() const {
    const double levels = std::floor(std::log2(threads));
    return per_warp >= levels - 1 && per_warp > kKeptByShuffles && loads > 0 &&
           loads <= kTreeAccesses;
  }
  bool tiles() const { return !tree() && per_warp >= 4 && loads > kTreeAccesses; }
  bool fenced() const { return fences > at_barriers; }
};

/// The inner loops' barriers for each of their instructions, as if all that was executed were
/// theirs; absent when there are none: those of outer loops are not known.
std::optional<double> barriers_by_code(const Evidence& e) {
  const std::optional<double> executed = e.get(metric::kInstructions);
  const std::optional<double> inner = e.get(metric::kSassInnerInst);
  const std::optional<double> barriers = e.get(metric::kSassInnerBarrier);
  if (!executed || !inner || !barriers || *inner <= 0 || *barriers <= 0) return std::nullopt;
  return *executed * *barriers / *inner;
}

Pattern pattern_of(const Evidence& e, const Stalls& stalls) {
  Pattern p{.threads = *e.get(metric::kBlockSize)};
  p.fences = stalls.of(Stall::kMembar).value_or(0);
  p.at_barriers = stalls.of(Stall::kBarrier).value_or(0);
  const std::optional<double> counted = e.get(metric::kBarrierInst);
  const std::optional<double> barriers = counted ? counted : barriers_by_code(e);
  const std::optional<double> warps = warps_of(e);
  if (!barriers || *barriers <= 0 || !warps || *warps <= 0) return p;
  p.estimated = !counted;
  p.per_warp = *barriers / *warps;
  p.loads = e.or_zero(metric::kSharedLoadInst) / *barriers;
  return p;
}

/// Share of a warp's time that the first prescription takes away. Shuffles also save a round trip
/// through shared memory for each level.
double removable(const Pattern& p, const Stalls& stalls) {
  if (p.fenced()) return p.fences * kHalf;
  if (!p.tree()) return p.at_barriers * kHalf;
  const double kept = std::min(1.0, kKeptByShuffles / p.per_warp);
  const double loads = std::min(p.at_barriers, stalls.of(Stall::kShortScoreboard).value_or(0));
  return (p.at_barriers + kHalf * loads) * (1 - kept);
}

/// Where hardware shows that barriers are what warps wait for most, the steps between them go too:
/// their shared accesses and instructions.
double share_with_steps(const Evidence& e, const Stalls& stalls, const ResourceTimes& times) {
  const double waiting = stalls.of(Stall::kBarrier).value_or(0);
  if (stalls.grade != Grade::kMeasured || stalls.dominant() != Stall::kBarrier) return 0;
  if (e.or_zero(metric::kSharedLoadInst) <= 0) return 0;
  const double left = 1 - kOfSteps * waiting;
  return share_won(times, {.l1 = left, .issue = left, .pipe = left, .latency = left});
}

Prescription shuffles() {
  return {std::string(action::kWarpShuffle),
          "Reduce within each warp by shuffles, which need no barrier; one barrier then joins the "
          "warps.",
          "for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);"};
}
Prescription double_buffer() {
  return {std::string(action::kDoubleBuffer),
          "Use two buffers in turn: load the next tile while this one is used, with one barrier a "
          "tile instead of two.",
          "__shared__ float tile[2][ROWS][COLUMNS];"};
}
Prescription smaller_blocks(double threads) {
  return {
      std::string(action::kBlockSize),
      fmt::format("Use blocks of {} threads instead of {:.0f}: fewer warps wait for each other, "
                  "and other blocks run meanwhile.",
                  std::max(64u, std::bit_floor(static_cast<unsigned>(threads)) / 2), threads),
      {}};
}
Prescription balance() {
  return {std::string(action::kBalanceLanes),
          "Give all warps the same work before the barrier: no part that one warp does while the "
          "others wait.",
          {}};
}
Prescription narrow(bool fence) {
  return {std::string(action::kNarrowScope),
          fence ? "Use the smallest scope that is needed: __threadfence_block, or a release of one "
                  "variable instead of a fence."
                : "Where only lanes of one warp exchange data, __syncwarp is enough.",
          fence ? "cuda::atomic_ref<int, cuda::thread_scope_block>" : "__syncwarp();"};
}

std::vector<Prescription> prescriptions(const Pattern& p) {
  if (p.fenced()) return {narrow(true)};
  std::vector<Prescription> list;
  if (p.tree()) list.push_back(shuffles());
  if (p.tiles()) list.push_back(double_buffer());
  if (p.threads >= kLargeBlock) list.push_back(smaller_blocks(p.threads));
  if (!p.tree() && !p.tiles()) list.push_back(balance());
  list.push_back(narrow(false));
  return list;
}

std::string saw(const Pattern& p, double waiting, const std::vector<SourceSpot>& spots) {
  std::string text = fmt::format("Warps wait {:.0f} % of their time at {}{}", 100 * waiting,
                                 p.fenced() ? "memory fences" : "barriers", places(spots));
  if (p.per_warp > 0) {
    text += fmt::format("; {}{:.3g} barriers a warp{}, {:.3g} shared loads for each",
                        p.estimated ? "about " : "", p.per_warp,
                        p.estimated ? " by the machine code" : "", p.loads);
  }
  return text + fmt::format(", in blocks of {:.0f} threads.", p.threads);
}

class BarrierStall final : public Tool {
 public:
  About about() const override {
    return {"barrier_stall",
            "warps wait 15 % of their time at barriers or fences (below 30 %: info), while latency "
            "bounds the kernel",
            "a barrier waits for the slowest warp of the block, and what comes after cannot begin",
            "shuffles instead of a tree with a barrier for each level; a second buffer, so that "
            "each tile needs one barrier; smaller blocks; a narrower scope",
            "other blocks of the SM run meanwhile: the gain is capped by the idle issue slots, and "
            "the tool is silent when latency does not bound the kernel",
            "CUDA C++ Best Practices Guide; stall reasons barrier and membar of Nsight Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    if (e.get(metric::kBarrierInst).value_or(1) <= 0) {
      return NotApplicable{"the kernel has no barriers"};
    }
    const std::optional<Stalls> stalls = stalls_of(e.kernel);
    if (!stalls) return unknown(missing_stall());
    const std::optional<double> waiting = stalls->of({Stall::kBarrier, Stall::kMembar});
    if (!waiting) return unknown(metric::kStallBarrier);
    if (*waiting < kLeast) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    return weighed(e, *stalls, *waiting, *times);
  }

 private:
  Verdict weighed(const Evidence& e, const Stalls& stalls, double waiting,
                  const ResourceTimes& times) const {
    const Pattern pattern = pattern_of(e, stalls);
    const double share = std::max(share_of_waiting(e, times, removable(pattern, stalls)),
                                  share_with_steps(e, stalls, times));
    // Amdahl: what was measured to be waiting can go, and nothing else.
    const bool measured = stalls.grade == Grade::kMeasured;
    const double cap = measured ? std::max(kCap, amdahl(waiting)) : kCap;
    std::optional<Finding> finding = weigh(e, about().name, share, cap);
    if (!finding) return Silent{};
    if (waiting < kMuch) finding->severity = Severity::kInfo;
    finding->spots = worst_lines(e.kernel, [](const LineProfile& l) { return l.barriers; });
    finding->saw = saw(pattern, waiting, finding->spots);
    finding->costs = fmt::format(
        "Nothing of the warp overlaps a barrier, and the slowest warp decides; the kernel waits "
        "for {}, and {:.0f} % of its time could go.",
        name_of(times.longest()), 100 * share);
    finding->prescriptions = prescriptions(pattern);
    finding->grade = std::max(stalls.grade, grade_with_times(e.kernel));
    if (pattern.estimated) {
      finding->grade = std::max(finding->grade, weakest_grade(e.kernel, kOfCode));
    }
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_barrier_stall() { return std::make_unique<BarrierStall>(); }

}  // namespace kp::diagnose
