// SPDX-License-Identifier: Apache-2.0
#include "vgpu/demand.h"

#include <algorithm>
#include <cmath>

#include "vgpu/cache.h"
#include "vgpu/traffic.h"

namespace kp::vgpu {
namespace {

constexpr unsigned kWideSlots = 4;  // a 64-bit register of a warp: 256 bytes

bool is_wide(const Instruction& instruction) {
  return instruction.width[0] >= kWideSlots || instruction.width[2] >= kWideSlots;
}

/// The pipe that an instruction runs on, or null for control and memory. The matrix and special
/// function pipes are not here: they do not count lanes of all machine instructions.
double Demand::*pipe_of(const Instruction& instruction) {
  switch (instruction.cls) {
    case Class::kFadd:
    case Class::kFmul:
    case Class::kFfma:
    case Class::kFp32Other:
      return &Demand::fp32;
    case Class::kDadd:
    case Class::kDmul:
    case Class::kDfma:
    case Class::kFp64Other:
      return &Demand::fp64;
    case Class::kHadd:
    case Class::kHmul:
    case Class::kHfma:
    case Class::kFp16Other:
      return &Demand::fp16;
    case Class::kInteger:
    case Class::kBit:
    case Class::kMove:
    case Class::kPredicate:
      return &Demand::integer;
    case Class::kConversion:
      return is_wide(instruction) ? &Demand::conversion_wide : &Demand::conversion;
    case Class::kCommunication:
      return &Demand::shuffle;
    default:
      return nullptr;
  }
}

void add_lanes(Demand& demand, const Instruction& instruction, double lanes) {
  const double all = lanes * instruction.sass;
  if (instruction.cls == Class::kTensor) {
    demand.matrix_products += all / kLanes;
  } else if (instruction.cls == Class::kTranscendental) {
    // One approximation, and the rest of the expansion refines it by multiply-adds.
    demand.xu += lanes;
    demand.fp32 += std::max(all - lanes, 0.0);
  } else if (double Demand::*pipe = pipe_of(instruction); pipe != nullptr) {
    demand.*pipe += all;
  }
}

bool shares_float_atomics(const Program& program, const GridCounters& counters) {
  for (std::size_t i = 0; i < program.accesses.size(); ++i) {
    const AccessCount& count = counters.accesses()[i];
    const bool global = count.sectors > 0;
    if (global && count.same_address > 0 && ptx::is_floating(program.accesses[i].type)) return true;
  }
  return false;
}

/// How much more the busiest SM has to do than the mean. With one wave, blocks stay where they are
/// and the counts show it; with more, SMs that finish early take more blocks, and whole blocks are
/// the grain.
double imbalance_of(const DeviceSpec& spec, const GridCounters& counters,
                    const Residency& residency, double issues) {
  const double grain = residency.blocks_of_busiest_sm / residency.blocks_of_mean_sm;
  const bool one_wave = residency.blocks_of_busiest_sm <= residency.blocks_per_sm;
  if (!one_wave || counters.scale() > 1 || issues <= 0) return grain;
  const double counted = static_cast<double>(counters.busiest_sm_issues) * spec.sm_count / issues;
  return std::clamp(counted, 1.0, static_cast<double>(spec.sm_count));
}

}  // namespace

Residency residency_of(const DeviceSpec& spec, const LaunchShape& shape) {
  const Occupancy fit = occupancy(
      spec,
      {.threads = shape.threads, .registers = shape.registers, .shared_bytes = shape.shared_bytes});
  const auto blocks = static_cast<double>(std::max<std::uint64_t>(shape.blocks, 1));
  const double sms = spec.sm_count;
  Residency residency;
  residency.blocks_per_sm = std::max(fit.blocks_per_sm, 1);
  residency.warps_per_block = std::max(fit.warps_per_block, 1);
  residency.blocks_of_busiest_sm = std::ceil(blocks / sms);
  residency.blocks_of_mean_sm = blocks / sms;
  residency.busy_sms = std::min(blocks, sms);
  const double per_busy_sm = blocks / residency.busy_sms;
  const double waves = std::max(1.0, std::ceil(per_busy_sm / residency.blocks_per_sm));
  residency.resident_warps = per_busy_sm / waves * residency.warps_per_block;
  return residency;
}

double PipeCycles::largest() const {
  return std::max({fma, alu, fp64, xu, conversion, shuffle, tensor});
}

PipeCycles Demand::pipes(const TimeConstants& constants) const {
  PipeCycles cycles;
  cycles.fma = fp32 / constants.lanes_fp32 + fp16 / constants.lanes_fp16;
  cycles.alu = integer / constants.lanes_int;
  cycles.fp64 = fp64 / constants.lanes_fp64;
  cycles.xu = xu / constants.lanes_xu + conversion_wide / constants.lanes_conversion_wide;
  cycles.conversion = conversion / constants.lanes_conversion;
  cycles.shuffle = shuffle / constants.lanes_shuffle;
  cycles.tensor = matrix_products / constants.mma_per_cycle;
  return cycles;
}

Demand demand_of(const DeviceSpec& spec, const Program& program, const GridCounters& counters,
                 const Residency& residency) {
  Demand demand;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const auto issued = static_cast<double>(counters.instructions()[pc].issued) * counters.scale();
    demand.issues += issued * program.code[pc].sass;
    add_lanes(demand, program.code[pc], issued * kLanes);
    if (const AccessCount* count = access_count(program, counters, pc); count != nullptr) {
      demand.l1_wavefronts +=
          static_cast<double>(count->wavefronts + count->lines) * counters.scale();
    }
  }
  demand.float_atomics = shares_float_atomics(program, counters);
  demand.dram_bytes = counters.dram_read_bytes + counters.dram_write_bytes;
  demand.l2_bytes = static_cast<double>(counters.l2_sectors) * kSectorBytes * counters.scale();
  demand.atomic_turns = static_cast<double>(counters.atomic_turns) * counters.scale();
  demand.hottest_turns = static_cast<double>(counters.hottest_turns) * counters.scale();
  demand.sms = spec.sm_count;
  demand.imbalance = imbalance_of(spec, counters, residency, demand.issues);
  return demand;
}

}  // namespace kp::vgpu
