// SPDX-License-Identifier: Apache-2.0
// Instructions whose effect is on registers alone: select_alu knows what they compute, this file
// where their operands are.
#include <array>

#include "vgpu/alu/alu.h"
#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

enum : std::size_t { kDst, kDst2, kA, kB, kC, kD };

/// A result that has to be converted to the register that PTX names.
struct Widening {
  std::uint32_t named = kNone, low = kNone;
};

class Arithmetic {
 public:
  Arithmetic(Lowering& low, const AluChoice& choice) : low_(low), choice_(choice) {}
  Result<void> run();

 private:
  Result<void> results(const ptx::Operand& operand);
  std::vector<const ptx::Operand*> source_list() const;
  Result<void> sources();
  Result<void> result(const ptx::Operand& operand, std::size_t slot);
  Result<void> result_fragment(const ptx::Vector& vector);
  Result<std::uint32_t> source_fragment(const ptx::Vector& vector, std::size_t slot);
  bool collective() const {
    const auto& opcode = low_.at->opcode;
    return low_.at->has("sync") && (opcode == "shfl" || opcode == "vote" || opcode == "match" ||
                                    opcode == "redux" || opcode == "elect");
  }
  std::uint32_t& slot(std::size_t index) {
    std::uint32_t* const slots[] = {&op_.dst, &op_.dst2, &op_.a, &op_.b, &op_.c, &op_.d};
    return *slots[index];
  }

  Lowering& low_;
  const AluChoice& choice_;
  Operands op_;
  std::vector<Widening> widenings_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies_;  // named, part of a fragment
};

Result<void> Arithmetic::result(const ptx::Operand& operand, std::size_t index) {
  const auto bytes =
      static_cast<std::uint8_t>(choice_.lane_bytes[index] == 2 ? 4 : choice_.lane_bytes[index]);
  const auto* name = std::get_if<ptx::RegisterName>(&operand.value);
  // What goes to a sink has no register.
  if (std::holds_alternative<ptx::Sink>(operand.value)) return {};
  if (name == nullptr) return low_.malformed_form("the destination is not a register");
  if (name->name == "_") return {};
  KP_TRY(const std::uint32_t number, low_.named_register(name->name));
  const auto has = low_.registers.lane_bytes(number);
  slot(index) = number;
  if (has == bytes) return {};
  if (has != 8 || bytes != 4) return low_.malformed_form(name->name + " has the wrong width");
  slot(index) = low_.registers.add(4);
  widenings_.push_back({number, slot(index)});
  return {};
}

Result<void> Arithmetic::result_fragment(const ptx::Vector& vector) {
  const auto count = static_cast<std::uint32_t>(vector.parts.size());
  const auto bytes = static_cast<std::uint8_t>(choice_.lane_bytes[kDst] / std::max(1u, count));
  if (count == 0 || (bytes != 4 && bytes != 8)) return low_.malformed_form("bad vector of results");
  op_.dst = low_.registers.add(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto* name = std::get_if<ptx::RegisterName>(&vector.parts[i].value);
    if (name == nullptr) continue;
    KP_TRY(const std::uint32_t number, low_.named_register(name->name));
    copies_.emplace_back(number, op_.dst + i);
  }
  return {};
}

Result<void> Arithmetic::results(const ptx::Operand& operand) {
  if (const auto* pair = std::get_if<ptx::Pair>(&operand.value)) {
    KP_TRY_VOID(result({pair->first}, kDst));
    return result({pair->second}, kDst2);
  }
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) return result(operand, kDst);
  if (choice_.lane_bytes[kDst2] == 0 || vector->parts.size() != 2) return result_fragment(*vector);
  KP_TRY_VOID(result(vector->parts[0], kDst));
  return result(vector->parts[1], kDst2);
}

Result<std::uint32_t> Arithmetic::source_fragment(const ptx::Vector& vector, std::size_t index) {
  const auto count = static_cast<std::uint32_t>(vector.parts.size());
  const auto bytes = static_cast<std::uint8_t>(choice_.lane_bytes[index] / std::max(1u, count));
  if (count == 0 || (bytes != 4 && bytes != 8))
    return low_.malformed_form("bad vector of operands");
  const auto first = low_.registers.add(bytes, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    KP_TRY(const std::uint32_t part, low_.source(vector.parts[i], bytes));
    KP_TRY_VOID(low_.copy(first + i, part));
  }
  return first;
}

std::vector<const ptx::Operand*> Arithmetic::source_list() const {
  const auto& operands = low_.at->operands;
  constexpr std::size_t kTable = 4;  // of lop3, which select_alu has taken into `imm`
  std::vector<const ptx::Operand*> list;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const auto* vector = std::get_if<ptx::Vector>(&operands[i].value);
    if (vector != nullptr && low_.at->opcode == "mov") {
      for (const auto& part : vector->parts) list.push_back(&part);
    } else if (low_.at->opcode != "lop3" || i != kTable) {
      list.push_back(&operands[i]);
    }
  }
  return list;
}

Result<void> Arithmetic::sources() {
  const auto list = source_list();
  std::size_t index = kA;
  for (const auto* operand : list) {
    const bool mask = collective() && operand == list.back();
    if (mask) index = kD;
    if (index > kD) return low_.malformed_form("it has too many operands");
    if (const auto* vector = std::get_if<ptx::Vector>(&operand->value)) {
      KP_TRY(slot(index), source_fragment(*vector, index));
    } else if (mask || choice_.lane_bytes[index] != 0) {
      KP_TRY(slot(index), low_.source(*operand, mask ? 4 : choice_.lane_bytes[index]));
    }
    ++index;
  }
  if (choice_.reads_carry) slot(index) = low_.carry();
  for (std::size_t i = kA; i <= kD; ++i) {
    if (choice_.lane_bytes[i] != 0 && slot(i) == kNone)
      return low_.malformed_form("it has too few operands");
  }
  return {};
}

Result<void> Arithmetic::run() {
  if (low_.at->operands.empty()) return low_.malformed_form("it has no operands");
  KP_TRY_VOID(results(low_.at->operands[0]));
  if (choice_.writes_carry) op_.dst2 = low_.carry();
  KP_TRY_VOID(sources());
  op_.imm = choice_.imm;
  auto& emitted =
      low_.emit(collective() ? Kind::kCollective : Kind::kAlu, choice_.cls, op_, choice_.sass);
  emitted.alu = choice_.run;
  for (std::size_t i = 0; i < 6; ++i) {
    const unsigned fragment = choice_.lane_bytes[i] * kLanes / kSlot;
    if (fragment > emitted.width[i] && emitted.width[i] != 0)
      emitted.width[i] = static_cast<std::uint8_t>(fragment);
  }
  for (const auto& [named, part] : copies_) {
    KP_TRY_VOID(low_.copy(named, part));
  }
  for (const auto& one : widenings_) KP_TRY_VOID(low_.widen(one.named, one.low, low_.at->type(1)));
  return {};
}

}  // namespace

Result<void> lower_arithmetic(Lowering& low) {
  const auto choice = select_alu(*low.at);
  if (!choice) return low.unsupported_form();
  return Arithmetic(low, *choice).run();
}

}  // namespace kp::vgpu
