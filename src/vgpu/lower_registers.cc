// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_registers.h"

#include <algorithm>

namespace kp::vgpu {
namespace {

std::uint32_t file_bytes(std::uint8_t lane_bytes) {
  return lane_bytes == 1 ? kSlot : kLanes * lane_bytes;
}

}  // namespace

std::uint8_t register_bytes(ptx::Type type) {
  if (type == ptx::Type::kPred) return 1;
  return static_cast<std::uint8_t>(std::max(4u, ptx::bytes_of(type)));
}

std::uint32_t Registers::add(std::uint8_t lane_bytes, std::uint32_t count) {
  const auto first = static_cast<std::uint32_t>(registers_.size());
  registers_.resize(registers_.size() + count, {lane_bytes});
  return first;
}

std::uint32_t Registers::constant(std::uint64_t bits, std::uint8_t lane_bytes) {
  const auto [at, fresh] = constants_.try_emplace({bits, lane_bytes}, 0);
  if (fresh) at->second = add(lane_bytes);
  return at->second;
}

std::uint32_t Registers::special(const Special& special) {
  if (special.constant) return constant(*special.constant, special.lane_bytes);
  const auto [at, fresh] = specials_.try_emplace({special.which, special.index});
  if (fresh) at->second = {add(special.lane_bytes), special.lane_bytes};
  return at->second.first;
}

void Registers::place(Program& program) const {
  std::vector<std::uint32_t> offsets(registers_.size());
  std::uint32_t bytes = 0;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    offsets[i] = bytes;
    bytes += file_bytes(registers_[i].lane_bytes);
  }
  program.file_bytes = bytes;
  const auto move = [&](std::uint32_t& number) {
    if (number != kNone) number = offsets[number];
  };
  for (auto& instruction : program.code) {
    auto& op = instruction.op;
    for (auto* number : {&instruction.guard, &op.dst, &op.dst2, &op.a, &op.b, &op.c, &op.d})
      move(*number);
  }
  for (auto& access : program.accesses) {
    for (auto& number : access.registers) move(number);
  }
  for (auto& variable : program.statics) {
    for (auto& number : variable.address_registers) move(number);
  }
  for (const auto& [key, number] : constants_)
    program.constants.push_back({offsets[number], key.second, key.first});
  for (const auto& [key, use] : specials_)
    program.specials.push_back({key.first, offsets[use.first], use.second, key.second});
}

}  // namespace kp::vgpu
