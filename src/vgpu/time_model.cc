// SPDX-License-Identifier: Apache-2.0
#include "vgpu/time_model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "vgpu/demand.h"
#include "vgpu/warp_time.h"

namespace kp::vgpu {
namespace {

constexpr double kNanoseconds = 1e9;

TimeConstants constants_of(const DeviceSpec& spec) {
  Result<TimeConstants> constants = time_constants(spec);
  KP_CHECK(constants.has_value(), "the device checks the spec's [model] table when it opens");
  return *constants;
}

/// The p-norm: the largest roof decides, and roofs of like height add some time to each other.
double join_roofs(std::initializer_list<double> roofs, double exponent) {
  const double largest = std::max(roofs);
  if (largest <= 0) return 0;
  double sum = 0;
  for (const double roof : roofs) sum += std::pow(roof / largest, exponent);
  return largest * std::pow(sum, 1 / exponent);
}

double dram_seconds(const DeviceSpec& spec, const Demand& demand, const TimeConstants& constants) {
  const double streamed =
      demand.dram_bytes - demand.scattered_read_bytes - demand.scattered_write_bytes;
  return std::max(streamed, 0.0) / spec.dram_sustained +
         demand.scattered_read_bytes / constants.dram_scattered_reads +
         demand.scattered_write_bytes / constants.dram_scattered_writes;
}

double l2_seconds(const DeviceSpec& spec, const Demand& demand, const TimeConstants& constants) {
  const double all = (demand.l2_bytes - demand.merged_bytes) / constants.l2_sustained;
  const double one_sm = demand.busiest(demand.l2_bytes) / constants.l2_sm_bytes / spec.clock_hz;
  const double merged = 1 - demand.merged_bytes / std::max(demand.l2_bytes, 1.0);
  const double lines = demand.l2_read_lines * merged / constants.l2_read_lines +
                       demand.small_writes / constants.l2_small_writes;
  return std::max({all, one_sm, lines / spec.clock_hz});
}

double atomic_seconds(const DeviceSpec& spec, const Demand& demand,
                      const TimeConstants& constants) {
  const double all = demand.atomic_turns / constants.atomic_turns;
  const double hottest = demand.hottest_turns / constants.line_turns;
  const double sector =
      demand.float_atomics ? demand.hottest_sector_turns / constants.line_turns_float : 0;
  return std::max({all, hottest, sector}) / spec.clock_hz;
}

double latency_cycles(const Program& program, const GridCounters& counters,
                      const Residency& residency, const TimeConstants& constants) {
  const double start =
      constants.block_start_cycles + constants.warp_start_cycles * residency.warps_per_block;
  const double block = start + warp_life(program, counters, constants).cycles;
  return std::ceil(residency.blocks_of_busiest_sm / residency.blocks_per_sm) * block;
}

}  // namespace

ModelledTime model_time(const DeviceSpec& spec, const Program& program,
                        const GridCounters& counters, const LaunchShape& shape) {
  const TimeConstants constants = constants_of(spec);
  const Residency residency = residency_of(spec, shape);
  const Demand demand = demand_of(spec, program, counters, residency);
  const double cycle = kNanoseconds / spec.clock_hz;
  ModelledTime time;
  time.dram = dram_seconds(spec, demand, constants) * kNanoseconds;
  time.atomics = atomic_seconds(spec, demand, constants) * kNanoseconds;
  time.l2 = std::max(l2_seconds(spec, demand, constants) * kNanoseconds, time.atomics);
  time.l1 = demand.busiest(demand.l1_wavefronts) / constants.l1_wavefronts * cycle;
  time.issue = demand.busiest(demand.issues) / spec.schedulers_per_sm * cycle;
  time.pipe = demand.busiest(demand.pipes(constants).largest()) * cycle;
  time.latency = latency_cycles(program, counters, residency, constants) * cycle;
  time.blocks = static_cast<double>(shape.blocks) * constants.block_launch_cycles * cycle;
  time.launch = constants.launch_overhead;
  time.total =
      time.launch + join_roofs({time.dram, time.l2, time.l1, std::max(time.issue, time.pipe),
                                time.latency, time.blocks},
                               constants.overlap_exponent);
  return time;
}

double zero_time(const DeviceSpec& spec, std::uint64_t bytes) {
  const double seconds = static_cast<double>(bytes) / spec.dram_sustained;
  return constants_of(spec).launch_overhead + seconds * kNanoseconds;
}

}  // namespace kp::vgpu
