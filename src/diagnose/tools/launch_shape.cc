// SPDX-License-Identifier: Apache-2.0
// Sees:           grids and blocks that leave lanes, SMs or the last wave idle.
// Costs because:  a partial warp takes the time of a full one, and the run ends with its busiest
//                 SM. Try:            block sizes of whole warps; at least a block for each SM; a
//                 grid-stride loop over a grid that is a multiple of what the device holds.
// Misleads when:  the kernel is persistent (its grid is a multiple of the SM count and fits at
//                 once: exempt), or DRAM or L2 bound it, which a few SMs can fill.
// Source:         rule LaunchConfiguration of Nsight Compute; wave quantisation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr int kWarp = 32;         // threads
constexpr int kTinyBlock = 64;    // threads; smaller blocks cannot fill an SM with warps
constexpr double kMostWaves = 5;  // with 4 full waves a tail is less than 20 %; Nsight Compute
constexpr double kUneven = 0.05;  // of the busiest SM's time; Nsight Compute
constexpr double kCap = 16;       // speed-up; own

constexpr std::array kNeeds{metric::kBlockSize, metric::kGridSize};

/// What one fault costs: the relief that its cure brings, and what to say.
struct Fault {
  Relief relief;
  std::string saw, costs;
  std::vector<Prescription> prescriptions;
};

struct Shape {
  int threads = 0;
  double blocks = 0;
  std::optional<double> waves;
  int resident = 0;  // blocks per SM; 0: unknown
  bool tiny_limited = false;
};

Shape shape_of(const Evidence& e) {
  Shape shape{static_cast<int>(*e.get(metric::kBlockSize)), *e.get(metric::kGridSize), waves_of(e)};
  const std::optional<vgpu::BlockResources> block = block_of(e.kernel);
  if (!block) return shape;
  const vgpu::Occupancy occupancy = vgpu::occupancy(e.device, *block);
  shape.resident = occupancy.blocks_per_sm;
  shape.tiny_limited = shape.threads < kTinyBlock && occupancy.limiter() == "blocks";
  return shape;
}

/// Scales what the SMs do themselves; L2 and DRAM are shared by all of them.
Relief inside_sm(double throughput, double latency) {
  return {.l1 = throughput, .issue = throughput, .pipe = throughput, .latency = latency};
}

std::optional<Fault> partial_warp(const Evidence&, const Shape& shape) {
  const int rest = shape.threads % kWarp;
  if (rest == 0) return std::nullopt;
  const int warps = shape.threads / kWarp + 1;
  const double used = static_cast<double>(shape.threads) / (warps * kWarp);
  return Fault{
      inside_sm(used, used),
      fmt::format("Blocks of {} threads fill {} of the {} lanes of their {} warp{}.", shape.threads,
                  shape.threads, warps * kWarp, warps, warps == 1 ? "" : "s"),
      "A partial warp takes the issue slots and the time of a full one",
      {{std::string(action::kBlockSize),
        fmt::format("Use a multiple of 32 threads, {} or {}.", warps * kWarp,
                    std::max(kWarp, (warps - 1) * kWarp)),
        {}}}};
}

std::optional<Fault> small_grid(const Evidence& e, const Shape& shape) {
  const int sms = e.device.sm_count;
  if (shape.blocks >= sms) return std::nullopt;
  const double used = shape.blocks / sms;
  Fault fault{
      inside_sm(used, used),
      fmt::format("{:.0f} blocks use {:.0f} of {} SMs.", shape.blocks, shape.blocks, sms),
      "The other SMs have nothing to do",
      {{std::string(action::kMoreBlocks),
        fmt::format("Split the work into at least {} blocks: smaller tiles, fewer elements a "
                    "thread, or parts of the reduced axis that a second step adds up.",
                    sms),
        {}}}};
  if (shape.threads > 2 * kTinyBlock) {
    fault.prescriptions.push_back(
        {std::string(action::kBlockSize),
         fmt::format("Or use smaller blocks: {} threads instead of {} give {:.0f} blocks.",
                     2 * kTinyBlock, shape.threads,
                     std::ceil(shape.blocks * shape.threads / (2 * kTinyBlock))),
         {}});
  }
  return fault;
}

/// Mean over most busy cycles of the SMs, and the share of the run for which an SM was busy.
struct Balance {
  double even = 1, active = 1;
};
std::optional<Balance> balance_of(const Evidence& e) {
  const std::optional<double> average = e.get(metric::kSmCyclesActiveAvg);
  const std::optional<double> most = e.get(metric::kSmCyclesActiveMax);
  if (!average || !most || *most <= 0) return std::nullopt;
  const std::optional<double> active = e.get(metric::kSmCyclesActiveSum);
  const std::optional<double> elapsed = e.get(metric::kSmCyclesElapsedSum);
  const bool known = active && elapsed && *elapsed > 0;
  return Balance{std::min(1.0, *average / *most), known ? std::min(1.0, *active / *elapsed) : 1};
}

/// Blocks over SMs, and waves, are rounded up to whole ones.
std::optional<Fault> tail(const Evidence& e, const Shape& shape) {
  const int sms = e.device.sm_count;
  if (shape.blocks < sms || !shape.waves || *shape.waves >= kMostWaves) return std::nullopt;
  const double per_sm = shape.blocks / sms;
  // Where it was measured that SMs end together, the arithmetic of waves is idle.
  const std::optional<Balance> balance = balance_of(e);
  if (balance && balance->even > 1 - kUneven) return std::nullopt;
  const bool persistent = *shape.waves <= 1 && per_sm == std::floor(per_sm);
  if (persistent) return std::nullopt;
  const double last = *shape.waves / std::ceil(*shape.waves);
  Fault fault{
      inside_sm(per_sm / std::ceil(per_sm), last),
      fmt::format("{:.0f} blocks are {:.3g} waves on {} SMs", shape.blocks, *shape.waves, sms),
      "The run ends with its busiest SM; the others wait",
      {}};
  if (shape.resident > 0) {
    fault.saw += fmt::format(" that hold {} blocks each", shape.resident);
    fault.prescriptions.push_back(
        {std::string(action::kGridStride),
         fmt::format(
             "Launch {} blocks ({} SMs x {}) and let each take pieces in a grid-stride loop.",
             sms * shape.resident, sms, shape.resident),
         "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
         "blockDim.x)"});
  }
  fault.saw += ".";
  fault.prescriptions.push_back(
      {std::string(action::kMoreBlocks),
       "Cut the work into smaller blocks, so that the last wave is short.",
       {}});
  return fault;
}

/// Blocks of unequal work: measured, where there are enough blocks to share out evenly.
std::optional<Fault> imbalance(const Evidence& e, const Shape& shape) {
  const std::optional<Balance> balance = balance_of(e);
  if (!balance || shape.blocks < e.device.sm_count || balance->even > 1 - kUneven) {
    return std::nullopt;
  }
  Fault fault{inside_sm(balance->even, balance->even),
              fmt::format("The busiest SM works {:.2f} times as long as the mean of all {}.",
                          1 / balance->even, e.device.sm_count),
              "The run ends with its busiest SM; the others wait",
              {{std::string(action::kGridStride),
                "Share the work out while it runs: smaller pieces, and each block takes the next "
                "one by an atomic counter; or sort the pieces by work, the longest first.",
                "__shared__ int piece;\nif (threadIdx.x == 0) piece = atomicAdd(next, 1);"},
               {std::string(action::kMoreBlocks),
                "Cut long rows into several pieces that a second step adds up.",
                {}}}};
  fault.relief.l2 = fault.relief.dram = balance->even;
  return fault;
}

std::optional<Fault> tiny_blocks(const Evidence& e, const Shape& shape) {
  if (!shape.tiny_limited || shape.waves.value_or(0) <= 1) return std::nullopt;
  const int warps = (shape.threads + kWarp - 1) / kWarp * shape.resident;
  const double filled = static_cast<double>(warps) / e.device.warps_per_sm;
  return Fault{
      inside_sm(1, filled),
      fmt::format("Blocks of {} threads: an SM holds at most {} blocks, so {} of {} warps.",
                  shape.threads, e.device.blocks_per_sm, warps, e.device.warps_per_sm),
      "Too few warps to switch to while others wait",
      {{std::string(action::kBlockSize),
        "Use blocks of 128 or 256 threads with the same work a thread.",
        {}}}};
}

constexpr std::array kFaults{partial_warp, small_grid, tail, imbalance, tiny_blocks};

/// Share of the time that is the kernel's own, beyond what an empty launch takes.
double beyond_launch(const Evidence& e) {
  const std::optional<double> time = e.get(metric::kDuration);
  const auto launch = e.device.model.find("launch_overhead");
  if (!time || *time <= 0 || launch == e.device.model.end() || e.get(metric::kModelLatency)) {
    return 1;  // the components of the time model leave the launch out
  }
  return std::clamp(1 - launch->second / *time, 0.0, 1.0);
}

class LaunchShape final : public Tool {
 public:
  About about() const override {
    return {"launch_shape",
            "blocks that are not whole warps, grids smaller than the number of SMs, a last wave "
            "that is "
            "nearly empty (fewer than 5 waves), SMs that end at different times (measured: 5 % "
            "between their mean and the last), blocks too small to fill an SM with warps",
            "a partial warp takes the time of a full one, and the run ends with its busiest SM",
            "block sizes of whole warps; a block for each SM at least; a grid-stride loop over a "
            "grid that "
            "is a multiple of what the device holds",
            "the kernel is persistent (its grid is a multiple of the SM count and fits at once: "
            "exempt), or "
            "DRAM or L2 bound it, which a few SMs can fill",
            "rule LaunchConfiguration of Nsight Compute; wave quantisation"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness) const override { return true; }

  Verdict examine(const Evidence& e) const override {
    const Shape shape = shape_of(e);
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    std::optional<Fault> worst;
    double most = 0;
    for (const auto look : kFaults) {
      std::optional<Fault> fault = look(e, shape);
      if (!fault) continue;
      const double share = share_won(*times, fault->relief) * beyond_launch(e);
      if (share > most) worst = std::move(fault);
      most = std::max(most, share);
    }
    return worst ? finding_of(e, *worst, most) : Verdict{Silent{}};
  }

 private:
  Verdict finding_of(const Evidence& e, const Fault& worst, double share) const {
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->saw = worst.saw;
    finding->costs = fmt::format("{}: {:.0f} % of the kernel's time.", worst.costs, 100 * share);
    finding->prescriptions = worst.prescriptions;
    finding->grade = grade_with_times(e.kernel);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_launch_shape() { return std::make_unique<LaunchShape>(); }

}  // namespace kp::diagnose
