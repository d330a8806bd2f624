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
  if (instruction.pipe == Pipe::kMultiply) return &Demand::multiply;
  if (instruction.pipe == Pipe::kEither) return &Demand::either;
  if (instruction.pipe == Pipe::kSpecial) return &Demand::xu;
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

bool has_float_atomics(const Program& program, const GridCounters& counters) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const AccessCount* count = access_count(program, counters, pc);
    if (count == nullptr || program.code[pc].kind != Kind::kAtomic || count->sectors == 0) continue;
    if (ptx::is_floating(program.accesses[program.code[pc].extra].type)) return true;
  }
  return false;
}

void add_access(Demand& demand, const AccessCount& count, double scale) {
  demand.l1_wavefronts += static_cast<double>(count.wavefronts + count.lines) * scale;
  demand.small_writes += static_cast<double>(count.small_lines) * scale;
  demand.constant_words += static_cast<double>(count.words) * scale;
}

/// A spilled word of all lanes is one line. Stores go through to the L2; loads find in the L1 what
/// fits of the spilled words of all resident threads.
void add_spills(Demand& demand, const DeviceSpec& spec, const Program& program,
                const GridCounters& counters, const Residency& residency) {
  const auto stores = static_cast<double>(program.spill_stores);
  const auto loads = static_cast<double>(program.spill_loads);
  if (stores + loads <= 0) return;
  constexpr double kWord = 4;
  const double warps = static_cast<double>(counters.warps) * counters.scale();
  const double resident =
      residency.blocks_per_sm * residency.warps_per_block * kLanes * std::max(stores, kWord);
  const double missing = 1 - std::min(1.0, static_cast<double>(spec.l1_bytes) / resident);
  demand.issues += warps * (stores + loads) / kWord;
  demand.l1_wavefronts += warps * (stores + loads) / kWord;
  demand.l2_bytes += warps * kLanes * (stores + loads * missing);
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
  return std::max({fma, alu, multiply, fp64, xu, conversion, shuffle, tensor, constant, barrier});
}

PipeCycles Demand::pipes(const TimeConstants& constants) const {
  PipeCycles cycles;
  const double words = integer + multiply + either;
  cycles.fma = (fp32 + multiply) / constants.lanes_fp32 + fp16 / constants.lanes_fp16;
  // What fits either pipe goes where there is room.
  cycles.alu = std::max(integer / constants.lanes_int,
                        words / (constants.lanes_int + constants.lanes_multiply));
  cycles.multiply = multiply / constants.lanes_multiply;
  cycles.fp64 = fp64 / constants.lanes_fp64;
  cycles.xu = xu / constants.lanes_xu + conversion_wide / constants.lanes_conversion_wide;
  cycles.conversion = conversion / constants.lanes_conversion;
  cycles.shuffle = shuffle / constants.lanes_shuffle;
  cycles.tensor = matrix_products / constants.mma_per_cycle;
  cycles.constant = constant_words / constants.constant_words;
  cycles.barrier = barrier_warps * constants.barrier_warp_cycles;
  return cycles;
}

Demand demand_of(const DeviceSpec& spec, const Program& program, const GridCounters& counters,
                 const Residency& residency) {
  Demand demand;
  const double scale = counters.scale();
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc];
    const auto issued = static_cast<double>(counters.instructions()[pc].fetched) * scale;
    demand.issues += issued * instruction.sass;
    add_lanes(demand, instruction, issued * kLanes);
    if (instruction.kind == Kind::kBarrier) demand.barrier_warps += issued;
    if (const AccessCount* count = access_count(program, counters, pc); count != nullptr) {
      add_access(demand, *count, scale);
    }
  }
  add_spills(demand, spec, program, counters, residency);
  demand.float_atomics = has_float_atomics(program, counters);
  demand.dram_bytes = counters.dram_read_bytes + counters.dram_write_bytes;
  demand.scattered_read_bytes = counters.scattered_read_bytes;
  // A sector that is written in part is read, too.
  demand.scattered_write_bytes = 2 * counters.scattered_write_bytes;
  demand.l2_bytes += static_cast<double>(counters.l2_sectors) * kSectorBytes * scale;
  demand.l2_read_lines = static_cast<double>(counters.l2_read_lines) * scale;
  demand.merged_bytes = counters.l2_merged_sectors * kSectorBytes;
  demand.atomic_turns = static_cast<double>(counters.atomic_turns) * scale;
  demand.hottest_turns = static_cast<double>(counters.hottest_turns) * scale;
  demand.hottest_sector_turns = static_cast<double>(counters.hottest_sector_turns) * scale;
  demand.sms = spec.sm_count;
  demand.imbalance = imbalance_of(spec, counters, residency, demand.issues);
  return demand;
}

}  // namespace kp::vgpu
