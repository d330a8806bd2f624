// SPDX-License-Identifier: Apache-2.0
// wmma.load, wmma.store and wmma.mma. PTX leaves open where a fragment keeps its elements;
// fragment.h says how arithmetic has them, and the table of an access says it to the executor.
#include <charconv>

#include "vgpu/alu/fragment.h"
#include "vgpu/lower_access.h"

namespace kp::vgpu {
namespace {

constexpr unsigned kMostElements = 16, kMostSide = 32;

/// "m16n8k16"
std::optional<WmmaShape> shape_from(std::string_view text) {
  WmmaShape shape;
  for (const auto& [letter, value] :
       {std::pair{'m', &shape.m}, std::pair{'n', &shape.n}, std::pair{'k', &shape.k}}) {
    if (text.empty() || text[0] != letter) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), *value);
    if (error != std::errc{} || *value == 0 || *value > kMostSide) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(shape) : std::nullopt;
}

std::optional<WmmaShape> shape_of(const ptx::Instruction& instruction) {
  for (const auto& modifier : instruction.modifiers) {
    if (const auto shape = shape_from(modifier)) return shape;
  }
  return std::nullopt;
}

WmmaPart part_of(const ptx::Instruction& instruction) {
  if (instruction.has("a")) return WmmaPart::kA;
  return instruction.has("b") ? WmmaPart::kB : WmmaPart::kC;
}

Fragment fragment_of(WmmaPart part, const WmmaShape& shape, unsigned elements,
                     unsigned per_register) {
  Fragment fragment;
  fragment.elements = static_cast<std::uint8_t>(elements);
  fragment.per_register = static_cast<std::uint8_t>(per_register);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned e = 0; e < elements; ++e) {
      const auto place = wmma_place(part, shape, elements, lane, e);
      fragment.row[lane][e] = static_cast<std::uint8_t>(place.row);
      fragment.column[lane][e] = static_cast<std::uint8_t>(place.column);
    }
  }
  return fragment;
}

/// Elements from one row (column) to the next where the instruction does not say.
unsigned natural_stride(WmmaPart part, const WmmaShape& shape, bool column_major) {
  const unsigned rows = part == WmmaPart::kB ? shape.k : shape.m;
  const unsigned columns = part == WmmaPart::kA ? shape.k : shape.n;
  return column_major ? rows : columns;
}

Result<void> move_fragment(Lowering& low, const WmmaShape& shape, Access access) {
  const bool load = low.at->has("load");
  const auto& list = low.at->operands;
  if (list.size() < 2) return low.malformed_form("it needs registers and an address");
  const auto parts = elements_of(list[load ? 0 : 1]);
  const unsigned per_register = access.bytes < 4 ? 4u / access.bytes : 1;
  const auto elements = static_cast<unsigned>(parts.size()) * per_register;
  if (parts.size() > std::size(access.registers) || elements > kMostElements)
    return low.unsupported_form();
  const auto part = part_of(*low.at);
  auto fragment = fragment_of(part, shape, elements, per_register);
  fragment.column_major = low.at->has("col");
  access.fragment = static_cast<std::uint32_t>(low.program.fragments.size());
  low.program.fragments.push_back(fragment);
  Operands op;
  KP_TRY(op.a, address_of(low, list[load ? 1 : 0], access));
  op.b = low.registers.constant(natural_stride(part, shape, fragment.column_major), 4);
  if (list.size() > 2) {
    KP_TRY(op.b, low.source(list[2], 4));
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    KP_TRY(access.registers[i], low.source(parts[i], std::max<unsigned>(4, access.bytes)));
  }
  low.emit(load ? Kind::kMatrixLoad : Kind::kMatrixStore, Class::kMemory, op).extra =
      low.access(access);
  return {};
}

}  // namespace

Result<void> lower_wmma(Lowering& low) {
  if (low.at->has("mma")) return lower_arithmetic(low);
  const auto shape = shape_of(*low.at);
  if (!shape) return low.unsupported_form();
  // Elements of fewer than 8 bits have no type with a size.
  if (ptx::bytes_of(low.at->type()) == 0) return low.unsupported_form();
  KP_TRY(const Access access, access_from_modifiers(low));
  return move_fragment(low, *shape, access);
}

}  // namespace kp::vgpu
