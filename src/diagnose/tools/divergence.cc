// SPDX-License-Identifier: Apache-2.0
// Sees:           instructions that fewer than 24 of the 32 lanes take part in.
// Costs because:  an instruction takes its issue slot and its pipe whatever the number of lanes.
// Try:            the same path for all lanes; a warp for each row when loops differ in length.
// Misleads when:  the block is not whole warps (launch_shape says so: silent), one lane is elected
//                 for an atomic (not counted), or what the kernel waits for does not depend on
//                 instructions (the share of time takes it into account).
// Source:         rule ThreadDivergence of Nsight Compute.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kFewLanes = 24;    // of 32; Nsight Compute
constexpr double kLonely = 4;       // lanes: one lane, or a few, work for the others; own
constexpr double kExplained = 0.9;  // of the lanes of partly filled warps; own
constexpr double kOfLatency = 0.5;  // of the idle lanes' share also shortens what a warp waits; own
constexpr double kStrided = 25;     // % of the loads side by side; below: a row for each lane; own
constexpr double kCap = 8;          // speed-up; own

constexpr std::array kNeeds{metric::kThreadsPerInst, metric::kBlockSize, metric::kInstructions};

/// Lanes for an instruction. On hardware short branches become predicates, and their lanes are off
/// without diverging.
double lanes_of(const Evidence& e) {
  const double lanes = *e.get(metric::kThreadsPerInst);
  const std::optional<Metric> on = e.kernel.metrics.find(metric::kThreadsPredOnPerInst.name);
  return on && on->grade == Grade::kMeasured ? std::min(lanes, on->value) : lanes;
}

/// Lanes that a warp of the block has on average.
double lanes_present(const Evidence& e) {
  const double threads = *e.get(metric::kBlockSize);
  return threads / std::ceil(threads / kLanesPerWarp);
}

/// Lanes that took no part in the line. One lane that speaks for others at an atomic is meant to be
/// alone.
double idle_lanes(const LineProfile& line) {
  return line.atomics > 0 ? 0 : std::max(0.0, kLanesPerWarp * line.instructions - line.lanes);
}

/// Share of the lanes' places that stay empty although the lanes are there.
double idle_share(const Evidence& e, double lanes) {
  const double present = lanes_present(e);
  double idle = 0, all = 0, counted = 0;
  for (const LineProfile& line : e.kernel.lines) {
    idle += std::max(0.0, idle_lanes(line) - (kLanesPerWarp - present) * line.instructions);
    all += present * line.instructions;
    counted += line.lanes;
  }
  return counted > 0 && all > 0 ? idle / all : 1 - lanes / present;
}

/// What is left of a warp's waiting. Where stalls were measured, lanes do nothing for the part of
/// it that memory, barriers and other warps cause.
double latency_left(const Evidence& e, double idle) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls || stalls->grade != Grade::kMeasured) return 1 - kOfLatency * idle;
  const double elsewhere = stalls
                               ->of({Stall::kLongScoreboard, Stall::kLgThrottle, Stall::kMembar,
                                     Stall::kBarrier, Stall::kDrain})
                               .value_or(0);
  return 1 - kOfLatency * idle * std::max(0.0, 1 - elsewhere);
}

Prescription one_path() {
  return {std::string(action::kBalanceLanes),
          "Let the lanes of a warp take one path: choose the operands and compute once instead of "
          "branching, sort or compact elements by kind, or give lanes loops of equal length.",
          "const float factor = x > 0 ? a : b;  // then the same code for both"};
}
Prescription row_per_warp() {
  return {std::string(action::kRowPerWarp),
          "Where each thread loops over a row of its own length, give a row to a warp: its lanes "
          "share the elements and join their results by shuffles.",
          "for (int k = lane; k < length; k += 32) sum += term(k);"};
}
Prescription all_lanes() {
  return {std::string(action::kWarpShuffle),
          "Let all lanes share what one does now, and join their results by shuffles.",
          "for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);"};
}

std::vector<Prescription> prescriptions(const Evidence& e, double lanes) {
  if (lanes < kLonely) return {all_lanes(), row_per_warp(), one_path()};
  const bool rows = unit_stride_of(e, Direction::kLoad).value_or(100) < kStrided;
  std::vector<Prescription> list{one_path(), row_per_warp()};
  if (rows) std::swap(list[0], list[1]);
  return list;
}

class Divergence final : public Tool {
 public:
  About about() const override {
    return {"divergence",
            "fewer than 24 of 32 lanes take part in an instruction on average (predicates included "
            "where they were measured)",
            "an instruction takes its issue slot and its pipe whatever the number of lanes, and "
            "both sides of a branch are executed",
            "one path for all lanes, elements sorted by kind, a warp for each row when loops "
            "differ in length",
            "blocks are not whole warps, which launch_shape reports, or the kernel waits for "
            "something else than instructions: then the tool is silent",
            "rule ThreadDivergence of Nsight Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const double lanes = lanes_of(e);
    if (lanes >= kFewLanes || lanes >= kExplained * lanes_present(e)) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const double idle = idle_share(e, lanes);
    const double share =
        share_won(*times, {.issue = 1 - idle, .pipe = 1 - idle, .latency = latency_left(e, idle)});
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, idle_lanes);
    finding->saw = fmt::format("{:.3g} of 32 lanes take part in an instruction on average{}.",
                               lanes, places(finding->spots));
    finding->costs = fmt::format(
        "Branches and loops that differ between lanes are executed for a part of the warp at a "
        "time; the kernel waits for {}, and {:.0f} % of its time could go.",
        name_of(times->longest()), 100 * share);
    finding->prescriptions = prescriptions(e, lanes);
    constexpr std::array kUsed{metric::kThreadsPerInst};
    finding->grade = grade_with_times(e.kernel, kUsed);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_divergence() { return std::make_unique<Divergence>(); }

}  // namespace kp::diagnose
