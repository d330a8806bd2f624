// SPDX-License-Identifier: Apache-2.0
#include "vgpu/warp_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "vgpu/cache.h"
#include "vgpu/scoreboard.h"
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
    const auto passes = static_cast<double>(count.wavefronts + count.words);
    return constants.latency_shared + std::max(share(passes, requests), 1.0) - 1;
  }
  const double beyond_l2 =
      constants.latency_l2 + dram_share(counters) * (constants.latency_dram - constants.latency_l2);
  const double lines = share(static_cast<double>(count.lines), requests) - 1;
  const double l1_hits = share(static_cast<double>(count.hits), sectors);
  const double tags = lines * (l1_hits + (1 - l1_hits) * constants.latency_line);
  if (direction_of(instruction) == Direction::kStore) return constants.latency_l2 + tags;
  if (instruction.kind == Kind::kAtomic) return beyond_l2 + tags;
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

/// Loops that the assembler unrolls run that many turns as one.
constexpr unsigned kUnrolled = 4;

/// Walks the program in order.
class Walk {
 public:
  Walk(const Program& program, const GridCounters& counters, const std::vector<double>& latencies,
       Scoreboard& board)
      : program_(program),
        counters_(counters),
        latencies_(latencies),
        board_(board),
        intervals_(program.code.size()),
        turns_(program.code.size(), 0),
        done_(program.code.size(), false) {}

  /// [begin, end), in `copies` turns of which only the last one branches.
  void run(std::size_t begin, std::size_t end, unsigned copies) {
    for (unsigned copy = 1; copy <= copies; ++copy) {
      for (std::size_t pc = begin; pc < end; ++pc) {
        const bool executed = counters_.instructions()[pc].issued > 0;
        const bool branches = copy < copies && pc + 1 == end;
        if (executed && !branches) take(pc);
        const bool last = pc + 1 == end && copy == copies;
        if (last || (executed && !branches && ends_segment(program_.code[pc]))) flush();
      }
    }
  }
  void close(std::size_t begin, std::size_t end) {
    std::fill(done_.begin() + static_cast<std::ptrdiff_t>(begin),
              done_.begin() + static_cast<std::ptrdiff_t>(end), true);
  }
  /// Means over the turns of the last run.
  std::vector<Interval> intervals() && { return std::move(intervals_); }
  void forget(std::size_t begin, std::size_t end) {
    for (std::size_t pc = begin; pc < end; ++pc) {
      if (done_[pc]) continue;
      intervals_[pc] = {};
      turns_[pc] = 0;
    }
  }

 private:
  void take(std::size_t pc) { board_.add(pc, latencies_[pc], wait_for(program_, counters_, pc)); }
  void flush() {
    for (const auto& [pc, interval] : board_.issue()) {
      if (done_[pc]) continue;
      Interval& mean = intervals_[pc];
      const double before = turns_[pc]++;
      mean.slots = (mean.slots * before + interval.slots) / (before + 1);
      if (interval.wait > mean.wait || before == 0) mean.reason = interval.reason;
      mean.wait = (mean.wait * before + interval.wait) / (before + 1);
    }
  }

  const Program& program_;
  const GridCounters& counters_;
  const std::vector<double>& latencies_;
  Scoreboard& board_;
  std::vector<Interval> intervals_;
  std::vector<unsigned> turns_;
  std::vector<bool> done_;
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
  const double warps = share(static_cast<double>(counters.warps),
                             static_cast<double>(std::max<std::uint64_t>(counters.blocks, 1)));
  Scoreboard board(program, constants.barrier_cycles + constants.barrier_warp_cycles * warps);
  Walk walk(program, counters, latencies, board);
  std::size_t begin = 0;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const bool leads = pc > begin && pc < program.leader.size() && program.leader[pc] != 0;
    if (leads) {
      walk.run(begin, pc, 1);
      begin = pc;
    }
    const Instruction& instruction = program.code[pc];
    if (!ends_segment(instruction) && pc + 1 < program.code.size()) continue;
    walk.run(begin, pc + 1, 1);
    begin = pc + 1;
    const bool back_edge = instruction.kind == Kind::kBranch && instruction.extra <= pc;
    if (!back_edge || counters.instructions()[pc].issued == 0) continue;
    walk.forget(instruction.extra, pc + 1);
    walk.run(instruction.extra, pc + 1, instruction.unrolled ? kUnrolled : 1);
    walk.close(instruction.extra, pc + 1);
  }
  return std::move(walk).intervals();
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
