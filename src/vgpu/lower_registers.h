// SPDX-License-Identifier: Apache-2.0
// The registers of a kernel while it is lowered. Operands hold numbers given here until place()
// puts them into the register file; a fragment is a run of consecutive numbers.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "vgpu/lower_special.h"
#include "vgpu/program.h"

namespace kp::vgpu {

/// Bytes that one register takes in a lane: 1 stands for a predicate (a bit).
std::uint8_t register_bytes(ptx::Type type);

class Registers {
 public:
  /// `count` registers side by side; the number of the first.
  std::uint32_t add(std::uint8_t lane_bytes, std::uint32_t count = 1);
  /// Gives the register a place that it shares with no other; returns it.
  std::uint32_t pin(std::uint32_t number);
  /// Lane bytes 1 (predicate), 4 or 8; the same constant is one register.
  std::uint32_t constant(std::uint64_t bits, std::uint8_t lane_bytes);
  std::uint32_t special(const Special& special);
  std::uint8_t lane_bytes(std::uint32_t number) const { return registers_[number].lane_bytes; }
  std::size_t size() const { return registers_.size(); }

  /// Offsets for all registers, applied to the program's code, accesses, constants, specials and
  /// statics.
  void place(Program& program) const;

 private:
  struct Register {
    std::uint8_t lane_bytes = 4;
    bool pinned = false;  // keeps a place of its own
  };
  std::vector<std::uint32_t> offsets(Program& program) const;
  std::vector<Register> registers_;
  std::map<std::pair<std::uint64_t, std::uint8_t>, std::uint32_t> constants_;
  std::map<std::pair<SpecialRegister, std::uint8_t>, std::pair<std::uint32_t, std::uint8_t>>
      specials_;
};

inline bool has_access(Kind kind) {
  return (kind >= Kind::kLoad && kind <= Kind::kMatrixStore) || kind == Kind::kMbarrier;
}

/// Calls `visit(number, is_result)` for every register of an instruction, sources first.
template <class Visitor>
void for_each_register(Program& program, Instruction& instruction, Visitor&& visit) {
  auto& op = instruction.op;
  for (auto* number : {&instruction.guard, &op.a, &op.b, &op.c, &op.d}) {
    if (*number != kNone) visit(*number, false);
  }
  if (has_access(instruction.kind)) {
    const bool load = instruction.kind == Kind::kLoad || instruction.kind == Kind::kMatrixLoad;
    for (auto& number : program.accesses[instruction.extra].registers) {
      if (number != kNone) visit(number, load);
    }
    for (auto& number : program.accesses[instruction.extra].results) {
      if (number != kNone) visit(number, true);
    }
  }
  for (auto* number : {&op.dst, &op.dst2}) {
    if (*number != kNone) visit(*number, true);
  }
}

}  // namespace kp::vgpu
