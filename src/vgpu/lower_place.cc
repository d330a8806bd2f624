// SPDX-License-Identifier: Apache-2.0
// Registers to places in the register file. Most registers of compiled code are written and last
// read within one basic block; those share places with others of their width, so that a warp's file
// stays in the host's nearest cache. Lanes keep to themselves, so sharing is safe however a warp is
// split.
#include <array>

#include "vgpu/lower_registers.h"

namespace kp::vgpu {
namespace {

std::uint32_t file_bytes(std::uint8_t lane_bytes) {
  return lane_bytes == 1 ? kSlot : kLanes * lane_bytes;
}

/// Forgets the registers of accesses that no laid out instruction makes.
void drop_unreachable(Program& program) {
  std::vector<Access> kept(program.accesses.size());
  for (const auto& instruction : program.code) {
    if (has_access(instruction.kind)) kept[instruction.extra] = program.accesses[instruction.extra];
  }
  program.accesses = std::move(kept);
}

/// Where a register is mentioned.
struct Life {
  std::uint32_t block = kNone, last = 0;
  bool shares = true;  // one block, first mention a result of an unguarded instruction
};

std::vector<Life> lives_of(Program& program, std::size_t registers) {
  std::vector<Life> lives(registers);
  std::uint32_t block = 0;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (program.leader[pc] != 0) block = pc;
    const bool guarded = program.code[pc].guard != kNone;
    for_each_register(program, program.code[pc], [&](std::uint32_t number, bool is_result) {
      auto& life = lives[number];
      if (life.block == kNone) {
        life.block = block;
        life.shares &= is_result && !guarded;
      }
      life.shares &= life.block == block;
      life.last = pc;
    });
  }
  return lives;
}

/// Places for registers of one width that share.
struct Pool {
  std::vector<std::uint32_t> free;
  std::uint32_t take(std::uint32_t& end, std::uint32_t bytes) {
    if (free.empty()) {
      end += bytes;
      return end - bytes;
    }
    const auto offset = free.back();
    free.pop_back();
    return offset;
  }
};

}  // namespace

std::vector<std::uint32_t> Registers::offsets(Program& program) const {
  auto lives = lives_of(program, registers_.size());
  std::uint32_t end = 0;
  std::vector<std::uint32_t> offsets(registers_.size(), kNone);
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    // What only unreachable code mentions needs no place.
    if ((lives[i].shares || lives[i].block == kNone) && !registers_[i].pinned) continue;
    offsets[i] = end;
    end += file_bytes(registers_[i].lane_bytes);
  }
  std::array<Pool, 17> pools;  // by lane bytes
  std::vector<std::uint32_t> dying;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    for_each_register(program, program.code[pc], [&](std::uint32_t number, bool) {
      const auto lane_bytes = registers_[number].lane_bytes;
      const bool shares = lives[number].shares && !registers_[number].pinned;
      if (!shares) return;
      if (offsets[number] == kNone)
        offsets[number] = pools[lane_bytes].take(end, file_bytes(lane_bytes));
      if (lives[number].last != pc) return;
      dying.push_back(number);
      lives[number].last = kNone;  // a register may be mentioned twice
    });
    // Only now: an operand must not share with a result of the same instruction.
    for (const auto number : dying)
      pools[registers_[number].lane_bytes].free.push_back(offsets[number]);
    dying.clear();
  }
  program.file_bytes = end;
  return offsets;
}

void Registers::place(Program& program) const {
  drop_unreachable(program);
  const auto places = offsets(program);
  for (auto& instruction : program.code)
    for_each_register(program, instruction,
                      [&](std::uint32_t& number, bool) { number = places[number]; });
  for (auto& variable : program.statics) {
    for (auto& number : variable.address_registers) number = places[number];
  }
  for (const auto& [key, number] : constants_)
    program.constants.push_back({places[number], key.second, key.first});
  for (const auto& [key, use] : specials_)
    program.specials.push_back({key.first, places[use.first], use.second, key.second});
}

}  // namespace kp::vgpu
