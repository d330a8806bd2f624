// SPDX-License-Identifier: Apache-2.0
#include "vgpu/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "vgpu/checks.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {

Block::Block(const Launch& the_launch, std::uint32_t the_sm, std::uint32_t the_slot,
             Checks* the_checks)
    : launch(the_launch), sm(the_sm), slot(the_slot), checks(the_checks) {
  const Program& program = launch.program;
  // The file starts on a slot boundary, so that vector loads of registers do not cross cache lines.
  files_.resize(std::size_t{program.file_bytes} * launch.warps + kSlot);
  void* start = files_.data();
  std::size_t room = files_.size();
  auto* file = static_cast<std::byte*>(std::align(kSlot, 1, start, room));
  shared.resize(launch.shared_bytes);
  local_.reset(static_cast<std::byte*>(
      std::calloc(std::max<std::size_t>(program.local_bytes * launch.warps, 1), kLanes)));
  KP_CHECK(local_ != nullptr, "no memory for the local variables of a block");
  warps.resize(launch.warps);
  for (unsigned w = 0; w < launch.warps; ++w) {
    warps[w].number = w;
    warps[w].file = file + std::size_t{program.file_bytes} * w;
    fill_constants(launch, warps[w]);
  }
  for (Barrier& each : barriers_) each.arrived.assign(launch.warps, 0);
}

void Block::begin(std::uint64_t the_index) {
  index = the_index;
  const auto& grid = launch.grid.grid;
  position[0] = std::uint32_t(index % grid[0]);
  position[1] = std::uint32_t(index / grid[0] % grid[1]);
  position[2] = std::uint32_t(index / grid[0] / grid[1]);
  for (Barrier& each : barriers_) {
    std::ranges::fill(each.arrived, 0u);
    each.open = false;
    each.expected = each.votes = each.voters = 0;
  }
  for (Warp& warp : warps) {
    const unsigned rest = launch.threads - warp.number * kLanes;
    warp.start(rest >= kLanes ? ~0u : (1u << rest) - 1);
    fill_position(launch, warp, position, sm);
  }
  if (checks != nullptr) checks->begin(*this);
}

bool Block::done() const {
  return std::ranges::all_of(warps, [](const Warp& warp) { return warp.done(); });
}

bool Block::fail(FaultKind kind, std::string message, std::uint32_t pc, const Warp& warp,
                 unsigned lane) {
  if (fault) return false;
  fault.emplace();
  fault->kind = kind;
  fault->message = std::move(message);
  fault->kernel = launch.program.kernel;
  fault->spot = spot_of(launch.program, pc);
  std::ranges::copy(position, fault->block);
  const auto& size = launch.grid.block;
  const std::uint32_t thread = thread_of(warp, lane);
  fault->thread[0] = thread % size[0];
  fault->thread[1] = thread / size[0] % size[1];
  fault->thread[2] = thread / size[0] / size[1];
  return false;
}

bool Block::arrive(Warp& warp, Split& split, const Instruction& in) {
  const unsigned lane = first_lane(split.mask);
  const std::uint32_t number = in.op.a == kNone ? 0 : word(warp.file, in.op.a, lane);
  const std::uint32_t count = in.op.b == kNone ? 0 : word(warp.file, in.op.b, lane);
  if (number >= kBarriers || count % kLanes != 0) {
    const std::string what =
        number >= kBarriers
            ? fmt::format("uses barrier {}; a block has barriers 0 to {}", number, kBarriers - 1)
            : fmt::format("waits at a barrier for {} threads, not a multiple of {}", count, kLanes);
    return fail(FaultKind::kBarrier, what, split.pc, warp, lane);
  }
  Barrier& barrier = barriers_[number];
  if (barrier.open && barrier.expected != count)
    return fail(FaultKind::kBarrier,
                fmt::format("barrier {} is used with different thread counts: {} here, {} at {}",
                            number, count, barrier.expected, place_of(launch.program, barrier.pc)),
                split.pc, warp, lane);
  if (!barrier.open) barrier.pc = split.pc;
  barrier.open = true;
  barrier.expected = count;
  barrier.arrived[warp.number] |= split.mask;
  if (checks != nullptr) checks->arrive(warp, split.mask, number);
  if (in.op.c != kNone) {
    const std::uint32_t votes = predicate(warp.file, in.op.c) & split.mask;
    barrier.votes += unsigned(std::popcount(votes));
    barrier.voters += unsigned(std::popcount(split.mask));
  }
  const bool waits = BarrierForm(in.op.imm) != BarrierForm::kArrive;
  split.wait = waits ? Wait::kBarrier : Wait::kReady;
  split.barrier = number;
  if (!waits) ++split.pc;
  complete_if_full(number);
  return split.wait == Wait::kReady;
}

void Block::complete_if_full(std::uint32_t number) {
  Barrier& barrier = barriers_[number];
  if (!barrier.open) return;
  std::uint32_t threads = 0;
  for (const Warp& warp : warps) {
    const std::uint32_t arrived = barrier.arrived[warp.number];
    // The device counts warps: once all live lanes of a warp are there, the warp is.
    const bool whole = (warp.alive & ~arrived) == 0 && (arrived != 0 || barrier.expected == 0);
    threads += whole ? kLanes : unsigned(std::popcount(arrived));
  }
  const std::uint32_t expected =
      barrier.expected != 0 ? barrier.expected : unsigned(warps.size()) * kLanes;
  if (threads >= expected) release(number);
}

namespace {

void write_vote(const Barrier& barrier, const Split& split, std::byte* file,
                const Instruction& in) {
  const auto form = BarrierForm(in.op.imm);
  const bool truth =
      form == BarrierForm::kAnd ? barrier.votes == barrier.voters : barrier.votes != 0;
  if (in.op.dst == kNone) return;
  if (form == BarrierForm::kPopc)
    for_lanes(split.mask, [&](unsigned lane) { set_word(file, in.op.dst, lane, barrier.votes); });
  else
    set_predicate(file, in.op.dst, split.mask, truth ? ~0u : 0u);
}

}  // namespace

void Block::release(std::uint32_t number) {
  Barrier& barrier = barriers_[number];
  if (checks != nullptr) checks->release(*this, barrier, number);
  for (Warp& warp : warps)
    for (Split& split : warp.splits) {
      if (split.wait != Wait::kBarrier || split.barrier != number) continue;
      const Instruction& in = launch.program.code[split.pc];
      if (in.op.c != kNone) write_vote(barrier, split, warp.file, in);
      split.wait = Wait::kReady;
      ++split.pc;
    }
  std::ranges::fill(barrier.arrived, 0u);
  barrier.votes = barrier.voters = 0;
  barrier.open = false;
}

void Block::after_exit(Warp& warp) {
  // A collective looks again at who is missing when its split runs again.
  for (Split& split : warp.splits)
    if (split.wait == Wait::kCollective) split.wait = Wait::kReady;
  for (std::uint32_t number = 0; number < kBarriers; ++number) complete_if_full(number);
}

void Block::report_deadlock() {
  std::set<std::string> barriers, collectives;
  const Warp* first = nullptr;
  const Split* at = nullptr;
  std::uint32_t waiting = 0, live = 0;
  for (const Warp& warp : warps) {
    live += unsigned(std::popcount(warp.alive));
    for (const Split& split : warp.splits) {
      if (at == nullptr) first = &warp, at = &split;
      auto& places = split.wait == Wait::kBarrier ? barriers : collectives;
      places.insert(place_of(launch.program, split.pc));
      if (split.pc == at->pc) waiting += unsigned(std::popcount(split.mask));
    }
  }
  if (at == nullptr) return;
  std::set<std::string> others;
  for (const auto& set : {barriers, collectives}) others.insert(set.begin(), set.end());
  others.erase(place_of(launch.program, at->pc));
  std::string message = fmt::format("{} that not all threads reach: {} of {} threads wait here",
                                    at->wait == Wait::kBarrier ? "barrier" : "warp collective",
                                    waiting, launch.threads);
  if (!others.empty()) message += fmt::format(", others at {}", fmt::join(others, ", "));
  if (live < launch.threads) message += fmt::format(", {} have exited", launch.threads - live);
  fail(FaultKind::kBarrier, std::move(message), at->pc, *first, first_lane(at->mask));
}

SourceSpot spot_of(const Program& program, std::uint32_t pc) {
  if (pc >= program.code.size()) return {};
  const Instruction& in = program.code[pc];
  if (in.line != 0 && in.line < program.lines.size())
    return {program.lines[in.line].file, program.lines[in.line].line, 0};
  return {"kernel.ptx", int(in.ptx_line), 0};
}

std::string place_of(const Program& program, std::uint32_t pc) {
  return to_string(spot_of(program, pc));
}

}  // namespace kp::vgpu
