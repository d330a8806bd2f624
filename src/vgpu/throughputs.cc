// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "vgpu/demand.h"
#include "vgpu/warp_time.h"

namespace kp::vgpu {
namespace {

void set(MetricSet& metrics, const MetricKey& key, double value) {
  metrics.set(key, value, Grade::kModelled);
}

void add_roofs(MetricSet& metrics, const ModelledTime& time) {
  set(metrics, metric::kDuration, time.total);
  set(metrics, metric::kModelDram, time.dram);
  set(metrics, metric::kModelL2, time.l2);
  set(metrics, metric::kModelL1, time.l1);
  set(metrics, metric::kModelIssue, time.issue);
  set(metrics, metric::kModelPipe, time.pipe);
  set(metrics, metric::kModelLatency, time.latency);
  set(metrics, metric::kModelAtomics, time.atomics);
}

/// Unknown when no warp ran.
void add_waits(MetricSet& metrics, const WarpLife& life) {
  if (life.cycles <= 0) return;
  const auto add = [&](const MetricKey& key, WaitReason reason) {
    set(metrics, key, 100 * life.waited(reason) / life.cycles);
  };
  add(metric::kWaitLongScoreboard, WaitReason::kLongScoreboard);
  add(metric::kWaitShortScoreboard, WaitReason::kShortScoreboard);
  add(metric::kWaitBarrier, WaitReason::kBarrier);
  add(metric::kWaitFixedLatency, WaitReason::kFixedLatency);
  add(metric::kWaitDrain, WaitReason::kDrain);
}

/// Shares of a peak over the time of the launch, in %; never above 100.
class Percent {
 public:
  Percent(MetricSet& metrics, double nanoseconds) : metrics_(metrics), nanoseconds_(nanoseconds) {}
  double of_time(double busy_nanoseconds) const {
    return std::min(100.0, 100 * busy_nanoseconds / nanoseconds_);
  }
  double add(const MetricKey& key, double busy_nanoseconds) {
    const double percent = of_time(busy_nanoseconds);
    set(metrics_, key, percent);
    return percent;
  }

 private:
  MetricSet& metrics_;
  double nanoseconds_;
};

}  // namespace

void add_throughputs(MetricSet& metrics, const DeviceSpec& spec, const Program& program,
                     const GridCounters& counters, const LaunchShape& shape) {
  const ModelledTime time = model_time(spec, program, counters, shape);
  const TimeConstants constants = *time_constants(spec);
  add_roofs(metrics, time);
  add_waits(metrics, warp_life(program, counters, constants));
  const double active = std::max(time.total - time.launch, 1e-3);  // ns that SMs work
  const double cycle = 1e9 / spec.clock_hz;
  const Residency residency = residency_of(spec, shape);
  const Demand demand = demand_of(spec, program, counters, residency);
  const PipeCycles pipes = demand.pipes(constants);
  // Pipes are busy on the mean SM, idle SMs included, as `elapsed` percentages are.
  const auto mean_sm = [&](double cycles_of_all) { return cycles_of_all / demand.sms * cycle; };

  Percent percent(metrics, active);
  percent.add(metric::kFp32Pct, mean_sm(pipes.fma));
  percent.add(metric::kAluPct, mean_sm(pipes.alu));
  percent.add(metric::kFp64Pct, mean_sm(pipes.fp64));
  percent.add(metric::kXuPct, mean_sm(pipes.xu));
  percent.add(metric::kTensorPct, mean_sm(pipes.tensor));
  const double issue = mean_sm(demand.issues / spec.schedulers_per_sm);
  percent.add(metric::kComputePct, std::max(issue, mean_sm(pipes.largest())));
  const double dram = percent.add(metric::kDramPct, 1e9 * demand.dram_bytes / spec.dram_peak);
  const double l2 = percent.add(metric::kL2Pct, time.l2);
  const double l1 = percent.add(metric::kL1Pct, time.l1);
  set(metrics, metric::kMemoryPct, std::max({dram, l2, l1}));

  const double busy_share = residency.busy_sms / demand.sms;
  set(metrics, metric::kIssueActive, std::min(1.0, issue / busy_share / active));
  set(metrics, metric::kAchievedOccupancy, 100 * residency.resident_warps / spec.warps_per_sm);
}

}  // namespace kp::vgpu
