// SPDX-License-Identifier: Apache-2.0
// A warp that has its SM for itself, instruction by instruction. Used by warp_time.cc.
#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "vgpu/traffic.h"
#include "vgpu/warp_time.h"

namespace kp::vgpu {

/// Where the assembler does not move instructions across.
bool ends_segment(const Instruction& instruction);

/// When a value is there, and what who needs it waits for.
struct Ready {
  double at = 0;
  WaitReason reason = WaitReason::kNothing;
  void wait_for(const Ready& other) {
    if (other.at > at) *this = other;
  }
};

/// A warp alone. Between two places that nothing moves across, instructions issue in the order in
/// which their operands would be ready, as a scheduling compiler arranges them; a load stays behind
/// the stores before it.
class Scoreboard {
 public:
  /// `barrier`: cycles that one takes.
  Scoreboard(const Program& program, double barrier)
      : program_(program), barrier_(barrier), ready_(program.file_bytes / kSlot + 1) {}

  /// Takes the next instruction of the program; `latency` until its result is there, `kind` what
  /// one waits for then.
  void add(std::size_t pc, double latency, WaitReason kind);

  /// Issues what was taken; what each instruction added, in the order of issue.
  std::vector<std::pair<std::size_t, Interval>> issue();

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
  bool orders_only(const Step& step, const Instruction& later) const;
  void need(Step& step, std::size_t slot);
  static void need_step(Step& step, std::size_t index) {
    if (index != kNoStep) step.needs.push_back(index);
  }
  Ready result_of(const Step& step) const { return {step.issued + step.latency, step.kind}; }

  Interval issue_step(Step& step);

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
  double barrier_ = 0;
  std::vector<Ready> ready_;
  std::vector<Step> steps_;
  std::map<std::size_t, std::size_t> writers_;  // of this segment: slot, last step
  std::size_t last_store_ = kNoStep, last_collective_ = kNoStep;
  double copies_ready_ = 0, stores_ready_ = 0;
  double now_ = 0;
};

}  // namespace kp::vgpu
