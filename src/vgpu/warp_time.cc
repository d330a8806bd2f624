// SPDX-License-Identifier: Apache-2.0
#include "vgpu/warp_time.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

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

/// When a value is there, and what who needs it waits for.
struct Ready {
  double at = 0;
  WaitReason reason = WaitReason::kNothing;
  void wait_for(const Ready& other) {
    if (other.at > at) *this = other;
  }
};

bool reads_memory(const Instruction& instruction) {
  return direction_of(instruction) == Direction::kLoad ||
         direction_of(instruction) == Direction::kAtomic;
}

/// Where the assembler does not move instructions across.
bool ends_segment(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::kBranch:
    case Kind::kBranchTable:
    case Kind::kCall:
    case Kind::kReturn:
    case Kind::kExit:
    case Kind::kBarrier:
    case Kind::kFence:
    case Kind::kAsyncWait:
    case Kind::kMbarrier:
    case Kind::kTrap:
      return true;
    default:
      return false;
  }
}

/// A warp alone. Between two places that nothing moves across, instructions issue in the order in
/// which their operands would be ready, as a scheduling compiler arranges them; a load stays behind
/// the stores before it.
class Scoreboard {
 public:
  Scoreboard(const Program& program, const TimeConstants& constants, double barrier)
      : program_(program),
        constants_(constants),
        barrier_(barrier),
        ready_(program.file_bytes / kSlot + 1) {}

  /// Takes the next instruction of the program; `latency` until its result is there, `kind` what
  /// one waits for then.
  void add(std::size_t pc, double latency, WaitReason kind) {
    Step step{.pc = pc, .latency = latency, .kind = kind, .start = {now_, WaitReason::kNothing}};
    const Instruction& instruction = program_.code[pc];
    visit(instruction, [&](std::size_t slot, bool written) {
      if (!written) need(step, slot);
    });
    if (reads_memory(instruction)) need_step(step, last_store_);
    if (direction_of(instruction) == Direction::kStore) last_store_ = steps_.size();
    if (instruction.kind == Kind::kCollective) {
      need_step(step, last_collective_);
      last_collective_ = steps_.size();
    }
    visit(instruction, [&](std::size_t slot, bool written) {
      if (written) writers_[slot] = steps_.size();
    });
    step.earliest = step.start.at;
    for (const std::size_t from : step.needs) {
      const Step& producer = steps_[from];
      const double delay = orders_only(producer, instruction) ? 0 : producer.latency;
      step.earliest = std::max(step.earliest, producer.earliest + delay);
    }
    steps_.push_back(std::move(step));
  }

  /// Issues what was taken and calls note(pc, interval) for each.
  template <class Note>
  void issue(Note note) {
    std::vector<std::size_t> order(steps_.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t movable = !order.empty() && ends_segment(program_.code[steps_.back().pc])
                                    ? order.size() - 1
                                    : order.size();
    std::stable_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(movable),
        [&](std::size_t a, std::size_t b) { return steps_[a].earliest < steps_[b].earliest; });
    for (const std::size_t index : order) note(steps_[index].pc, issue_step(steps_[index]));
    for (const auto& [slot, index] : writers_) ready_[slot] = result_of(steps_[index]);
    steps_.clear();
    writers_.clear();
    last_store_ = last_collective_ = kNoStep;
  }

 private:
  static constexpr std::size_t kNoStep = ~std::size_t{0};
  struct Step {
    std::size_t pc = 0;
    double latency = 0;
    WaitReason kind = WaitReason::kNothing;
    Ready start;                     // by results of earlier segments
    std::vector<std::size_t> needs;  // steps of this segment
    double earliest = 0;             // as if slots were free
    double issued = 0;
  };

  /// Whether `later` only has to come after the step: behind a store, behind another collective
  /// whose result it may not even use.
  bool orders_only(const Step& step, const Instruction& later) const {
    const Instruction& before = program_.code[step.pc];
    if (direction_of(before) == Direction::kStore) return true;
    return before.kind == Kind::kCollective && later.kind == Kind::kCollective &&
           later.op.a != before.op.dst && later.op.b != before.op.dst;
  }
  void need(Step& step, std::size_t slot) {
    if (const auto writer = writers_.find(slot); writer != writers_.end()) {
      need_step(step, writer->second);
    } else {
      step.start.wait_for(ready_[slot]);
    }
  }
  static void need_step(Step& step, std::size_t index) {
    if (index != kNoStep) step.needs.push_back(index);
  }
  Ready result_of(const Step& step) const { return {step.issued + step.latency, step.kind}; }

  Interval issue_step(Step& step) {
    const Instruction& instruction = program_.code[step.pc];
    const double before = now_;
    Ready start = step.start;
    if (start.at < now_) start = {now_, WaitReason::kNothing};
    for (const std::size_t from : step.needs) {
      if (!orders_only(steps_[from], instruction)) start.wait_for(result_of(steps_[from]));
    }
    if (instruction.kind == Kind::kAsyncWait || instruction.kind == Kind::kMbarrier)
      start.wait_for({copies_ready_, WaitReason::kLongScoreboard});
    if (instruction.kind == Kind::kExit || instruction.kind == Kind::kReturn)
      start.wait_for({stores_ready_, WaitReason::kDrain});
    if (instruction.kind == Kind::kBarrier) start = {start.at + barrier_, WaitReason::kBarrier};
    step.issued = start.at;
    if (instruction.kind == Kind::kCopyAsync)
      copies_ready_ = std::max(copies_ready_, start.at + step.latency);
    if (direction_of(instruction) == Direction::kStore)
      stores_ready_ = std::max(stores_ready_, start.at + step.latency);
    now_ = start.at + instruction.sass;
    return {static_cast<double>(instruction.sass), start.at - before, start.reason};
  }

  template <class Visit>
  void range(std::uint32_t offset, unsigned slots, bool written, Visit& visit) {
    if (offset == kNone) return;
    const std::size_t first = offset / kSlot;
    const std::size_t end = std::min(first + std::max(slots, 1u), ready_.size());
    for (std::size_t slot = first; slot < end; ++slot) visit(slot, written);
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
  double barrier_ = 0;  // cycles of a barrier
  std::vector<Ready> ready_;
  std::vector<Step> steps_;
  std::map<std::size_t, std::size_t> writers_;  // of this segment: slot, last step
  std::size_t last_store_ = kNoStep, last_collective_ = kNoStep;
  double copies_ready_ = 0, stores_ready_ = 0;
  double now_ = 0;
};

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
    board_.issue([&](std::size_t pc, const Interval& interval) {
      if (done_[pc]) return;
      Interval& mean = intervals_[pc];
      const double before = turns_[pc]++;
      mean.slots = (mean.slots * before + interval.slots) / (before + 1);
      if (interval.wait > mean.wait || before == 0) mean.reason = interval.reason;
      mean.wait = (mean.wait * before + interval.wait) / (before + 1);
    });
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
  Scoreboard board(program, constants,
                   constants.barrier_cycles + constants.barrier_warp_cycles * warps);
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
