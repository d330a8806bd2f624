// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_registers.h"

#include <algorithm>

namespace kp::vgpu {

std::uint8_t register_bytes(ptx::Type type) {
  if (type == ptx::Type::kPred) return 1;
  return static_cast<std::uint8_t>(std::max(4u, ptx::bytes_of(type)));
}

std::uint32_t Registers::add(std::uint8_t lane_bytes, std::uint32_t count) {
  const bool pinned = count > 1;  // the parts of a fragment stay side by side
  const auto first = static_cast<std::uint32_t>(registers_.size());
  registers_.resize(registers_.size() + count, {lane_bytes, pinned});
  return first;
}

std::uint32_t Registers::pin(std::uint32_t number) {
  registers_[number].pinned = true;
  return number;
}

std::uint32_t Registers::constant(std::uint64_t bits, std::uint8_t lane_bytes) {
  const auto [at, fresh] = constants_.try_emplace({bits, lane_bytes}, 0);
  if (fresh) at->second = pin(add(lane_bytes));
  return at->second;
}

std::uint32_t Registers::special(const Special& special) {
  if (special.constant) return constant(*special.constant, special.lane_bytes);
  const auto [at, fresh] = specials_.try_emplace({special.which, special.index});
  if (fresh) at->second = {pin(add(special.lane_bytes)), special.lane_bytes};
  return at->second.first;
}

}  // namespace kp::vgpu
