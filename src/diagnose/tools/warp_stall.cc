// SPDX-License-Identifier: Apache-2.0
// Sees:           one reason for which warps wait for more than 30 % of their time, in a kernel
//                 that latency bounds while issue slots are free.
// Costs because:  the warps that are there cannot fill the time in which each of them waits.
// Try:            by reason: more loads on their way, a warp for each row, shuffles instead of
//                 shared memory, independent accumulators, more work for each thread (remedy.cc).
// Misleads when:  a more specific tool names the cause (silent), or the waiting is hidden by other
//                 warps (latency does not bound the kernel: silent).
// Source:         warp stall reasons of Nsight Compute; Little's law; GPA (arXiv 2009.04061).
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/access.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/remedy.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeastShare = 0.30;  // of a warp's time; Nsight Compute
constexpr double kIssueBusy = 0.80;   // issue slots used: warps hide what others wait for; Nsight
constexpr double kMostly = 0.60;      // of a warp's time for global data: nothing else to do; own
constexpr double kFullStream = 0.95;  // of the sustained bandwidth; bench/calibration
constexpr double kHalfStream = 0.50;  // less, and something else may hold the stream up; own
constexpr double kFewWarps = 0.5;     // of those that an SM can hold; Nsight Compute
constexpr double kCap = 4;            // speed-up; own

constexpr std::array kNeeds{metric::kIssueActive, metric::kInstructions};

/// Whether registers or shared memory leave room for less than half of the warps: then
/// occupancy_limiter names the cause. On hardware only; the time model knows warps otherwise.
bool lacks_warps(const Evidence& e, const Stalls& stalls) {
  const std::optional<vgpu::BlockResources> block = block_of(e.kernel);
  if (!block || stalls.grade != Grade::kMeasured || waves_of(e).value_or(0) <= 1) return false;
  const vgpu::Occupancy now = vgpu::occupancy(e.device, *block);
  return now.fraction < kFewWarps &&
         (now.limiter() == "registers" || now.limiter() == "shared memory");
}

/// Share of the sustained bandwidth of a kernel that does little but wait for packed loads from
/// DRAM, its start left out; on hardware only.
std::optional<double> stream_use(const Evidence& e, const Stalls& stalls) {
  const std::optional<double> read = e.get(metric::kDramRead), written = e.get(metric::kDramWrite);
  const std::optional<double> time = e.get(metric::kDuration);
  const auto start = e.device.model.find("launch_overhead");
  if (stalls.grade != Grade::kMeasured || !read || !written || !time ||
      start == e.device.model.end() || *time <= start->second ||
      stalls.of(Stall::kLongScoreboard).value_or(0) < kMostly ||
      useful_bytes(e, Direction::kLoad).value_or(kPackedBytes) < kPackedBytes) {
    return std::nullopt;
  }
  const double seconds = (*time - start->second) * 1e-9;
  return (*read + *written) / seconds / e.device.dram_sustained;
}

class WarpStall final : public Tool {
 public:
  About about() const override {
    return {
        "warp_stall",
        "warps wait more than 30 % of their time for one reason, while latency bounds the "
        "kernel and less than 80 % of the issue slots are used; on hardware also 60 % for packed "
        "data of global memory while DRAM stays between 50 and 95 % of what it sustains",
        "the warps that are there cannot fill the time in which each of them waits",
        "by reason: several independent loads, a warp for each row, register tiles and "
        "shuffles instead of shared memory, independent accumulators, more work for each "
        "thread",
        "a more specific tool names the cause (bank_conflict, memory_coalescing, "
        "vector_access, register_spill, barrier_stall, atomic_contention, instruction_mix): "
        "then the tool is silent",
        "warp stall reasons of Nsight Compute; Little's law; GPA (arXiv 2009.04061)"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const std::optional<Stalls> stalls = stalls_of(e.kernel);
    if (!stalls) return unknown(missing_stall());
    const std::optional<Stall> reason = stalls->dominant();
    if (!reason || *stalls->of(*reason) < kLeastShare) return Silent{};
    if (*e.get(metric::kIssueActive) >= kIssueBusy || lacks_warps(e, *stalls)) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const std::optional<Remedy> remedy = remedy_for(*reason, e, *stalls);
    if (!remedy) return Silent{};
    if (times->longest() != Resource::kLatency) {
      const std::optional<double> use = stream_use(e, *stalls);
      if (!use || *use < kHalfStream || *use >= kFullStream) return Silent{};
      return said(e, *stalls, *reason, *remedy, 1 - *use / kFullStream);
    }
    return weighed(e, *stalls, *reason, *remedy, *times);
  }

 private:
  Verdict weighed(const Evidence& e, const Stalls& stalls, Stall reason, const Remedy& remedy,
                  const ResourceTimes& times) const {
    return said(e, stalls, reason, remedy,
                share_of_waiting(e, times, remedy.removed * *stalls.of(reason)));
  }

  Verdict said(const Evidence& e, const Stalls& stalls, Stall reason, const Remedy& remedy,
               double share) const {
    const double waiting = *stalls.of(reason);
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, remedy.weight);
    finding->saw = fmt::format(
        "Warps wait {:.0f} % of their time for {}{}; {:.0f} % of the issue slots are used.",
        100 * waiting, name_of(reason), places(finding->spots), 100 * *e.get(metric::kIssueActive));
    finding->costs =
        fmt::format("{}; {:.0f} % of the kernel's time could go.", remedy.costs, 100 * share);
    finding->prescriptions = remedy.prescriptions;
    finding->grade = std::max(stalls.grade, grade_with_times(e.kernel, kNeeds));
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_warp_stall() { return std::make_unique<WarpStall>(); }

}  // namespace kp::diagnose
