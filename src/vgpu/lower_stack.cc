// SPDX-License-Identifier: Apache-2.0
// Functions that stay functions. Each thread has a stack at the end of its local memory; the stack
// pointer is where the running function's frame starts, and a call moves it by the caller's frame.
// A frame holds the function's local variables and, while it calls something that may call it
// again, those of its registers that are read behind the call.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vgpu/lowering.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

constexpr std::uint64_t kFrameAlign = 16;
constexpr std::uint64_t kStackBytes = 16u << 10;  // of a thread, when there is recursion
constexpr std::uint64_t kMostBytes = 512u << 10;  // of CUDA's local memory
constexpr std::uint64_t kMostBits = 1u << 28;     // of the sets below

using Set = std::vector<bool>;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kFrameAlign - 1) / kFrameAlign * kFrameAlign;
}

/// Which registers of one function are read before they are written, from each block on.
class Liveness {
 public:
  Liveness(Lowering& low, int function) : low_(low), function_(function) {}
  Result<void> solve();
  /// Registers that the function writes and that are read behind the block.
  std::vector<std::uint32_t> behind(const BasicBlock& block) const;

 private:
  struct Part {
    std::size_t block = 0;
    Set reads, writes, in;  // by place in registers_
  };
  void collect();
  void summarise(Part& part);
  Set out_of(const BasicBlock& block) const;

  Lowering& low_;
  const int function_;
  std::vector<Part> parts_;
  std::map<std::size_t, std::size_t> part_of_;  // block -> part
  std::map<std::uint32_t, std::size_t> place_of_;
  std::vector<std::uint32_t> registers_;
};

void Liveness::collect() {
  for (std::size_t i = 0; i < low_.blocks.size(); ++i) {
    auto& block = low_.blocks[i];
    if (block.function != function_) continue;
    part_of_[i] = parts_.size();
    parts_.emplace_back().block = i;
    for (auto& one : block.code)
      for_each_register(low_.program, one, [&](std::uint32_t number, bool is_result) {
        if (is_result && place_of_.try_emplace(number, registers_.size()).second)
          registers_.push_back(number);
      });
  }
}

void Liveness::summarise(Part& part) {
  part.reads.assign(registers_.size(), false);
  part.writes = part.in = part.reads;
  auto& block = low_.blocks[part.block];
  const auto note = [&](Instruction& one) {
    const bool guarded = one.guard != kNone;
    for_each_register(low_.program, one, [&](std::uint32_t number, bool is_result) {
      const auto at = place_of_.find(number);
      if (at == place_of_.end()) return;
      if (!is_result && !part.writes[at->second]) part.reads[at->second] = true;
      if (is_result && !guarded) part.writes[at->second] = true;
    });
  };
  for (auto& one : block.code) note(one);
  if (block.branch) note(*block.branch);
}

Set Liveness::out_of(const BasicBlock& block) const {
  Set out(registers_.size(), false);
  const auto join = [&](int to) {
    const auto found = part_of_.find(static_cast<std::size_t>(to));
    if (to < 0 || found == part_of_.end()) return;
    const Set& more = parts_[found->second].in;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] || more[i];
  };
  join(block.next);
  join(block.target);
  if (block.table >= 0) {
    for (const auto to : low_.program.tables[static_cast<std::size_t>(block.table)])
      join(static_cast<int>(to));
  }
  return out;
}

Result<void> Liveness::solve() {
  collect();
  if (parts_.size() * registers_.size() > kMostBits)
    return fail(ErrorCode::kLimit, "a recursive function is too large", "make it smaller");
  for (auto& part : parts_) summarise(part);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
      Set in = out_of(low_.blocks[part->block]);
      for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = part->reads[i] || (in[i] && !part->writes[i]);
      changed |= in != part->in;
      part->in = std::move(in);
    }
  }
  return {};
}

std::vector<std::uint32_t> Liveness::behind(const BasicBlock& block) const {
  const Set out = out_of(block);
  std::vector<std::uint32_t> live;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i]) live.push_back(registers_[i]);
  return live;
}

/// Puts registers into the frame before a call and takes them back behind it.
class Saving {
 public:
  Saving(Lowering& low, Frame& frame) : low_(low), frame_(frame) {}
  Result<void> around(std::size_t block, const std::vector<std::uint32_t>& registers);

 private:
  std::uint64_t slot_of(std::uint32_t number);
  void move(Kind kind, std::uint32_t number, std::uint64_t slot);
  Result<void> save(std::uint32_t number);
  Result<void> restore(std::uint32_t number);

  Lowering& low_;
  Frame& frame_;
  std::map<std::uint32_t, std::uint64_t> slots_;
};

std::uint64_t Saving::slot_of(std::uint32_t number) {
  const std::uint64_t bytes = std::max<std::uint64_t>(4, low_.registers.lane_bytes(number));
  const auto [at, fresh] = slots_.try_emplace(number, 0);
  if (fresh) {
    at->second = (frame_.bytes + bytes - 1) / bytes * bytes;
    frame_.bytes = at->second + bytes;
  }
  return at->second;
}

void Saving::move(Kind kind, std::uint32_t number, std::uint64_t slot) {
  const auto bytes = low_.registers.lane_bytes(number);
  Access access;
  access.space = ptx::Space::kLocal;
  access.type = bytes == 16 ? ptx::Type::kB128 : bytes == 8 ? ptx::Type::kB64 : ptx::Type::kB32;
  access.bytes = bytes;
  access.address32 = true;
  access.offset = static_cast<std::int64_t>(slot);
  access.registers[0] = number;
  Operands op;
  op.a = low_.stack_pointer();
  low_.emit(kind, Class::kMemory, op).extra = low_.access(access);
}

Result<void> Saving::save(std::uint32_t number) {
  auto from = number;
  if (low_.registers.lane_bytes(number) == 1) {
    from = low_.registers.add(4);
    KP_TRY_VOID(low_.arithmetic(
        "selp.b32", from, {low_.registers.constant(1, 4), low_.registers.constant(0, 4), number}));
  }
  move(Kind::kStore, from, slot_of(number));
  return {};
}

Result<void> Saving::restore(std::uint32_t number) {
  if (low_.registers.lane_bytes(number) != 1) {
    move(Kind::kLoad, number, slot_of(number));
    return {};
  }
  const auto word = low_.registers.add(4);
  move(Kind::kLoad, word, slot_of(number));
  return low_.arithmetic("setp.ne.u32", number, {word, low_.registers.constant(0, 4)});
}

Result<void> Saving::around(std::size_t block, const std::vector<std::uint32_t>& registers) {
  low_.at = low_.blocks[block].call;
  low_.guard = kNone;
  low_.current = block;
  const Instruction call = low_.blocks[block].code.back();
  low_.blocks[block].code.pop_back();
  for (const auto number : registers) KP_TRY_VOID(save(number));
  low_.blocks[block].code.push_back(call);
  low_.current = static_cast<std::size_t>(low_.blocks[block].next);
  const auto behind = std::exchange(low_.blocks[low_.current].code, {});
  for (const auto number : registers) KP_TRY_VOID(restore(number));
  auto& code = low_.blocks[low_.current].code;
  code.insert(code.end(), behind.begin(), behind.end());
  return {};
}

/// Registers of the mailboxes are the callee's to write.
bool is_passed(const Lowering& low, std::uint32_t number) {
  return std::ranges::any_of(low.promoted, [&](const auto& variable) {
    return is_mailbox(variable.first) &&
           std::ranges::any_of(variable.second,
                               [&](const auto& piece) { return piece.second == number; });
  });
}

Result<void> save_of(Lowering& low, std::size_t index) {
  const int function = static_cast<int>(index);
  Liveness liveness(low, function);
  KP_TRY_VOID(liveness.solve());
  // All sets first: saving changes the code.
  std::map<std::size_t, std::vector<std::uint32_t>> live;
  for (std::size_t i = 0; i < low.blocks.size(); ++i) {
    if (low.blocks[i].function != function || low.blocks[i].call == nullptr) continue;
    live[i] = liveness.behind(low.blocks[i]);
    std::erase_if(live[i], [&](std::uint32_t number) { return is_passed(low, number); });
  }
  Saving saving(low, low.frames[index]);
  for (const auto& [block, registers] : live) KP_TRY_VOID(saving.around(block, registers));
  return {};
}

}  // namespace

Result<void> lower_call(Lowering& low) {
  const auto& callee = low.at->operands.at(0);
  Operands op;
  op.b = low.stack_pointer();
  std::uint32_t target = kNone;
  if (const auto* symbol = std::get_if<ptx::Symbol>(&callee.value)) {
    const auto& functions = low.flat.functions;
    const auto found = std::ranges::find_if(
        functions, [&](const FlatFunction& one) { return one.source->name == symbol->name; });
    target = static_cast<std::uint32_t>(found - functions.begin());
  } else {
    KP_TRY(op.a, low.source(callee, 4));
  }
  low.emit(Kind::kCall, Class::kControl, op).extra = target;
  return {};
}

Result<void> save_across_calls(Lowering& low) {
  const auto& functions = low.flat.functions;
  if (functions.empty()) return {};
  bool recursive = false;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    recursive |= functions[i].recursive;
    if (functions[i].recursive) KP_TRY_VOID(save_of(low, i));
  }
  const std::uint64_t bottom = aligned(low.program.local_bytes);
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    // A return address takes room as well, so that every recursion ends.
    const std::uint64_t frame = aligned(low.frames[i].bytes + sizeof(std::uint64_t));
    low.program.functions.push_back({low.function_address(functions[i].source->name).value_or(0), 0,
                                     static_cast<std::uint32_t>(frame)});
    all += frame;
  }
  if (all > kMostBytes)
    return fail(ErrorCode::kLimit, fmt::format("functions need {} bytes of stack", all),
                "make the arrays of the functions smaller");
  low.program.local_bytes = bottom + (recursive ? std::max(kStackBytes, all) : all);
  for (auto& block : low.blocks) {
    if (block.call == nullptr) continue;
    block.code.back().op.imm = block.function < 0
                                   ? static_cast<std::uint32_t>(bottom)
                                   : low.program.functions[std::size_t(block.function)].frame;
  }
  return {};
}

}  // namespace kp::vgpu
