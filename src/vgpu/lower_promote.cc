// SPDX-License-Identifier: Apache-2.0
// What a look over the whole kernel tells: how often names occur, and which parameters of inlined
// calls can live in registers: those that are only loaded and stored, always in the same pieces.
#include <map>

#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

struct Pieces {
  std::map<std::int64_t, unsigned> bytes_at;
  bool promotable = true;

  void add(std::int64_t offset, unsigned bytes) {
    const auto [at, fresh] = bytes_at.try_emplace(offset, bytes);
    promotable &= offset >= 0 && at->second == bytes;
  }
  bool disjoint() const {
    std::int64_t end = 0;
    for (const auto& [offset, bytes] : bytes_at) {
      if (offset < end) return false;
      end = offset + bytes;
    }
    return true;
  }
};
using PiecesByName = std::map<std::string, Pieces>;

const ptx::Address* variable_address(const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  return address != nullptr && std::holds_alternative<ptx::Symbol>(address->base) ? address
                                                                                  : nullptr;
}

void note_access(const ptx::Instruction& instruction, PiecesByName& variables) {
  const bool load = instruction.opcode == "ld", store = instruction.opcode == "st";
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const auto* address = variable_address(instruction.operands[i]);
    auto known = variables.end();
    if (address != nullptr) known = variables.find(std::get<ptx::Symbol>(address->base).name);
    if (const auto* symbol = std::get_if<ptx::Symbol>(&instruction.operands[i].value))
      known = variables.find(symbol->name);
    if (known == variables.end()) continue;
    const bool direct = address != nullptr && instruction.operands.size() >= 2 &&
                        ((load && i == 1) || (store && i == 0));
    known->second.promotable &= direct;
    if (!direct) continue;
    const unsigned bytes = ptx::bytes_of(instruction.type());
    const auto* vector = std::get_if<ptx::Vector>(&instruction.operands[load ? 0 : 1].value);
    const std::size_t count = vector == nullptr ? 1 : vector->parts.size();
    for (std::size_t k = 0; k < count; ++k)
      known->second.add(address->offset + static_cast<std::int64_t>(k * bytes), bytes);
    known->second.promotable &= bytes > 0;
  }
}

}  // namespace

void survey(Lowering& low) {
  PiecesByName variables;
  for (const auto& variable : low.flat.variables) {
    if (variable.space == ptx::Space::kParam) variables[variable.name];
  }
  const auto mention = [&](std::string& name, bool) { ++low.mentions[name]; };
  for (const auto& statement : low.flat.body) {
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr) continue;
    for (auto operand : instruction->operands) for_each_name(operand, mention);
    if (instruction->guard) ++low.mentions[instruction->guard->name];
    note_access(*instruction, variables);
  }
  for (const auto& [name, pieces] : variables) {
    if (!pieces.promotable || !pieces.disjoint()) continue;
    auto& promoted = low.promoted[name];
    for (const auto& [offset, bytes] : pieces.bytes_at) {
      const auto lane_bytes = static_cast<std::uint8_t>(std::max(4u, bytes));
      promoted[static_cast<std::uint64_t>(offset)] = low.registers.add(lane_bytes);
    }
  }
}

}  // namespace kp::vgpu
