// SPDX-License-Identifier: Apache-2.0
#include "vgpu/scoreboard.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "vgpu/traffic.h"

namespace kp::vgpu {
namespace {

bool reads_memory(const Instruction& instruction) {
  return direction_of(instruction) == Direction::kLoad ||
         direction_of(instruction) == Direction::kAtomic;
}

}  // namespace

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

void Scoreboard::add(std::size_t pc, double latency, WaitReason kind) {
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

std::vector<std::pair<std::size_t, Interval>> Scoreboard::issue() {
  std::vector<std::size_t> order(steps_.size());
  std::iota(order.begin(), order.end(), 0u);
  const std::size_t movable = !order.empty() && ends_segment(program_.code[steps_.back().pc])
                                  ? order.size() - 1
                                  : order.size();
  std::stable_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(movable),
      [&](std::size_t a, std::size_t b) { return steps_[a].earliest < steps_[b].earliest; });
  std::vector<std::pair<std::size_t, Interval>> issued;
  for (const std::size_t index : order)
    issued.emplace_back(steps_[index].pc, issue_step(steps_[index]));
  for (const auto& [slot, index] : writers_) ready_[slot] = result_of(steps_[index]);
  steps_.clear();
  writers_.clear();
  last_store_ = last_collective_ = kNoStep;
  return issued;
}

bool Scoreboard::orders_only(const Step& step, const Instruction& later) const {
  const Instruction& before = program_.code[step.pc];
  if (direction_of(before) == Direction::kStore) return true;
  return before.kind == Kind::kCollective && later.kind == Kind::kCollective &&
         later.op.a != before.op.dst && later.op.b != before.op.dst;
}

void Scoreboard::need(Step& step, std::size_t slot) {
  if (const auto writer = writers_.find(slot); writer != writers_.end()) {
    need_step(step, writer->second);
  } else {
    step.start.wait_for(ready_[slot]);
  }
}

Interval Scoreboard::issue_step(Step& step) {
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

}  // namespace kp::vgpu
