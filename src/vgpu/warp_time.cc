// SPDX-License-Identifier: Apache-2.0
#include "vgpu/warp_time.h"

#include <algorithm>
#include <array>

#include "vgpu/cache.h"
#include "vgpu/traffic.h"

namespace kp::vgpu {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Share of the sectors that reach the L2 and have to come from DRAM.
double dram_share(const GridCounters& counters) {
  const double writes = static_cast<double>(counters.l2_write_sectors) * counters.scale();
  const double asked = static_cast<double>(counters.l2_sectors) * counters.scale() - writes;
  return std::clamp(share(counters.dram_read_bytes / kSectorBytes, asked), 0.0, 1.0);
}

/// An instruction that becomes several is a chain, of which every second one waits for the one
/// before.
double arithmetic_latency(const Instruction& instruction, const TimeConstants& constants) {
  double own = constants.latency_alu;
  switch (instruction.cls) {
    case Class::kDadd:
    case Class::kDmul:
    case Class::kDfma:
    case Class::kFp64Other:
      own = constants.latency_fp64;
      break;
    case Class::kTranscendental:
    case Class::kConversion:
      own = constants.latency_xu;
      break;
    case Class::kCommunication:
      own = constants.latency_shuffle;
      break;
    case Class::kTensor:
      own = constants.latency_tensor;
      break;
    default:
      break;
  }
  const double chain =
      instruction.sass > 1 ? (instruction.sass - 1) * constants.latency_alu / 2 : 0;
  return own + chain;
}

double memory_latency(const Program& program, const GridCounters& counters,
                      const AccessCount& count, const Instruction& instruction,
                      const TimeConstants& constants) {
  const auto requests = static_cast<double>(count.requests);
  const auto sectors = static_cast<double>(count.sectors);
  if (requests == 0) return constants.latency_alu;  // constants and parameters
  if (!went_global(program, instruction, count) && !went_local(program, instruction, count)) {
    return constants.latency_shared + share(static_cast<double>(count.wavefronts), requests) - 1;
  }
  const double beyond_l2 =
      constants.latency_l2 + dram_share(counters) * (constants.latency_dram - constants.latency_l2);
  const double tags = share(static_cast<double>(count.lines), requests) - 1;
  if (direction_of(instruction) == Direction::kStore) return constants.latency_l2 + tags;
  if (instruction.kind == Kind::kAtomic) return beyond_l2 + tags;
  const double l1_hits = share(static_cast<double>(count.hits), sectors);
  return constants.latency_l1 + (1 - l1_hits) * (beyond_l2 - constants.latency_l1) + tags;
}

/// What an instruction that needs this one's result waits for.
WaitReason wait_for(const Program& program, const GridCounters& counters, std::size_t pc) {
  const Instruction& instruction = program.code[pc];
  if (const AccessCount* count = access_count(program, counters, pc); count != nullptr) {
    if (count->requests == 0) return WaitReason::kFixedLatency;  // constants and parameters
    const bool far =
        went_global(program, instruction, *count) || went_local(program, instruction, *count);
    return far ? WaitReason::kLongScoreboard : WaitReason::kShortScoreboard;
  }
  switch (instruction.cls) {
    case Class::kTranscendental:
    case Class::kConversion:
    case Class::kCommunication:
      return WaitReason::kShortScoreboard;
    default:
      return WaitReason::kFixedLatency;
  }
}

/// When each register has its value, in cycles since the warp began.
class Scoreboard {
 public:
  Scoreboard(const Program& program, const TimeConstants& constants)
      : program_(program), constants_(constants), ready_(program.file_bytes / kSlot + 1) {}

  /// Issues one instruction; who needs its result waits for `latency` cycles, because of `kind`.
  Interval issue(const Instruction& instruction, double latency, WaitReason kind) {
    const double before = now_;
    Ready start{now_, WaitReason::kNothing};
    visit(instruction, [&](Ready& ready, bool written) {
      if (!written) start.wait_for(ready);
    });
    if (waits_for_copies(instruction)) start.wait_for({copies_ready_, WaitReason::kLongScoreboard});
    if (ends_the_warp(instruction)) start.wait_for({stores_ready_, WaitReason::kDrain});
    if (instruction.kind == Kind::kBarrier) {
      start = {start.at + constants_.barrier_cycles, WaitReason::kBarrier};
    }
    note_result(instruction, {start.at + latency, kind});
    now_ = start.at + instruction.sass;
    return {static_cast<double>(instruction.sass), start.at - before, start.reason};
  }

 private:
  struct Ready {
    double at = 0;
    WaitReason reason = WaitReason::kNothing;
    void wait_for(const Ready& other) {
      if (other.at > at) *this = other;
    }
  };

  static bool waits_for_copies(const Instruction& instruction) {
    return instruction.kind == Kind::kAsyncWait || instruction.kind == Kind::kMbarrier;
  }

  static bool ends_the_warp(const Instruction& instruction) {
    return instruction.kind == Kind::kExit || instruction.kind == Kind::kReturn;
  }

  void note_result(const Instruction& instruction, const Ready& result) {
    if (instruction.kind == Kind::kCopyAsync) {
      copies_ready_ = std::max(copies_ready_, result.at);
    }
    if (direction_of(instruction) == Direction::kStore) {
      stores_ready_ = std::max(stores_ready_, result.at);
    }
    visit(instruction, [&](Ready& ready, bool written) {
      if (written) ready = result;
    });
  }

  template <class Visit>
  void range(std::uint32_t offset, unsigned slots, bool written, Visit& visit) {
    if (offset == kNone) return;
    const std::size_t first = offset / kSlot;
    const std::size_t end = std::min(first + std::max(slots, 1u), ready_.size());
    for (std::size_t slot = first; slot < end; ++slot) visit(ready_[slot], written);
  }

  /// Every register slot that the instruction reads or writes.
  template <class Visit>
  void visit(const Instruction& instruction, Visit visit) {
    const Operands& op = instruction.op;
    const std::array<std::uint32_t, 6> registers{op.dst, op.dst2, op.a, op.b, op.c, op.d};
    for (unsigned i = 0; i < registers.size(); ++i) {
      range(registers[i], instruction.width[i], i < 2, visit);
    }
    range(instruction.guard, 1, false, visit);
    if (!direction_of(instruction) || instruction.extra >= program_.accesses.size()) return;
    const bool load = direction_of(instruction) == Direction::kLoad;
    for (const std::uint32_t offset : program_.accesses[instruction.extra].registers) {
      range(offset, instruction.width[0], load, visit);
    }
  }

  const Program& program_;
  const TimeConstants& constants_;
  std::vector<Ready> ready_;
  double copies_ready_ = 0, stores_ready_ = 0;
  double now_ = 0;
};

}  // namespace

std::vector<double> result_latencies(const Program& program, const GridCounters& counters,
                                     const TimeConstants& constants) {
  std::vector<double> latencies(program.code.size(), 0.0);
  for (std::size_t pc = 0; pc < latencies.size(); ++pc) {
    const AccessCount* count = access_count(program, counters, pc);
    latencies[pc] = count != nullptr
                        ? memory_latency(program, counters, *count, program.code[pc], constants)
                        : arithmetic_latency(program.code[pc], constants);
  }
  return latencies;
}

std::vector<Interval> issue_intervals(const Program& program, const GridCounters& counters,
                                      const std::vector<double>& latencies,
                                      const TimeConstants& constants) {
  Scoreboard board(program, constants);
  std::vector<Interval> intervals(program.code.size());
  std::vector<bool> in_loop(program.code.size(), false);
  const auto walk = [&](std::size_t begin, std::size_t end) {
    for (std::size_t pc = begin; pc < end; ++pc) {
      if (counters.instructions()[pc].issued == 0) continue;
      const Interval interval =
          board.issue(program.code[pc], latencies[pc], wait_for(program, counters, pc));
      if (!in_loop[pc]) intervals[pc] = interval;
    }
  };
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    walk(pc, pc + 1);
    const Instruction& instruction = program.code[pc];
    const bool back_edge = instruction.kind == Kind::kBranch && instruction.extra <= pc;
    if (!back_edge || counters.instructions()[pc].issued == 0) continue;
    walk(instruction.extra, pc + 1);
    std::fill(in_loop.begin() + instruction.extra,
              in_loop.begin() + static_cast<std::ptrdiff_t>(pc) + 1, true);
  }
  return intervals;
}

WarpLife warp_life(const Program& program, const GridCounters& counters,
                   const TimeConstants& constants) {
  WarpLife life;
  if (counters.warps == 0) return life;
  const std::vector<Interval> intervals =
      issue_intervals(program, counters, result_latencies(program, counters, constants), constants);
  for (std::size_t pc = 0; pc < intervals.size(); ++pc) {
    const double times = static_cast<double>(counters.instructions()[pc].issued) /
                         static_cast<double>(counters.warps);
    life.cycles += intervals[pc].cycles() * times;
    life.waits[static_cast<std::size_t>(intervals[pc].reason)] += intervals[pc].wait * times;
  }
  return life;
}

}  // namespace kp::vgpu
