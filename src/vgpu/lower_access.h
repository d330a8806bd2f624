// SPDX-License-Identifier: Apache-2.0
// What loads, stores and atomics share: modifiers, addresses, element registers. Used by the memory
// parts of lowering.
#pragma once
#include "vgpu/lowering.h"

namespace kp::vgpu {

/// Space, type, vector length, cache operator and ordering from the modifiers of `low.at`.
Result<Access> access_from_modifiers(const Lowering& low);

/// Register (kNone for a parameter at a fixed place) and offset of an address operand; sets offset
/// and address32 of `access`.
Result<std::uint32_t> address_of(Lowering& low, const ptx::Operand& operand, Access& access);

/// The elements of a vector operand, or the operand alone.
std::vector<ptx::Operand> elements_of(const ptx::Operand& operand);

/// The variable of an inlined call that the address names, or null.
const std::string* promoted_variable(const Lowering& low, const ptx::Operand& address);

}  // namespace kp::vgpu
