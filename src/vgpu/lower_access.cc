// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_access.h"

#include <fmt/format.h>

namespace kp::vgpu {
namespace {

using ptx::Space;

bool set_space(Access& access, std::string_view modifier) {
  if (modifier == "global") {
    access.space = Space::kGlobal;
  } else if (modifier == "shared" || modifier == "shared::cta" || modifier == "shared::cluster") {
    // A block is a cluster of its own: its cluster window is its shared memory.
    access.space = Space::kShared;
  } else if (modifier == "local") {
    access.space = Space::kLocal;
  } else if (modifier == "const") {
    access.space = Space::kConst;
  } else if (modifier == "param" || modifier == "param::entry" || modifier == "param::func") {
    access.space = Space::kParam;
  } else {
    return false;
  }
  return true;
}

bool set_ordering(Access& access, std::string_view modifier) {
  if (modifier == "volatile" || modifier == "relaxed" || modifier == "mmio") {
    access.is_volatile = access.bypass_l1 = true;
  } else if (modifier == "acquire") {
    access.acquire = access.bypass_l1 = true;
  } else if (modifier == "release") {
    access.release = true;
  } else if (modifier == "acq_rel") {
    access.acquire = access.release = true;
  } else if (modifier == "cg" || modifier == "cv") {
    access.bypass_l1 = true;
  } else if (modifier == "nc") {
    access.no_coherent = true;
  } else {
    return false;
  }
  return true;
}

/// Foreign offsets may be anything: they wrap, as addresses do.
std::uint32_t fixed(Access& access, std::int64_t start) {
  access.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(access.offset) +
                                            static_cast<std::uint64_t>(start));
  return kNone;
}

}  // namespace

Result<Access> access_from_modifiers(const Lowering& low) {
  Access access;
  for (const auto& modifier : low.at->modifiers) {
    if (set_space(access, modifier) || set_ordering(access, modifier)) continue;
    if (modifier == "v2" || modifier == "v4" || modifier == "v8")
      access.elements = static_cast<std::uint8_t>(modifier[1] - '0');
    if (modifier == "async" || modifier == "multimem") return low.unsupported_form();
  }
  access.type = low.at->type();
  access.bytes = static_cast<std::uint8_t>(ptx::bytes_of(access.type));
  if (access.bytes == 0) return low.malformed_form("it has no type with a size");
  return access;
}

Result<std::uint32_t> address_of(Lowering& low, const ptx::Operand& operand, Access& access) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  if (address == nullptr) return low.malformed_form("expected an address in brackets");
  access.offset = address->offset;
  if (const auto* name = std::get_if<ptx::RegisterName>(&address->base)) {
    KP_TRY(const std::uint32_t base, low.named_register(name->name));
    const auto bytes = low.registers.lane_bytes(base);
    if (bytes != 4 && bytes != 8) return low.malformed_form("the address has the wrong width");
    access.address32 = bytes == 4;
    return base;
  }
  if (const auto* literal = std::get_if<ptx::Immediate>(&address->base))
    return fixed(access, static_cast<std::int64_t>(literal->bits));
  const auto& name = std::get<ptx::Symbol>(address->base).name;
  const auto known = low.placed.find(name);
  if (known == low.placed.end()) return low.symbol_address(name, 0, 8);
  const bool generic = access.space == Space::kGeneric;
  if (generic) access.space = known->second.space;
  const bool of_call = access.space == Space::kParam && known->second.space == Space::kLocal;
  if (of_call) access.space = Space::kLocal;
  if (access.space != known->second.space)
    return low.malformed_form(fmt::format("{} lies in another space", name));
  fixed(access, static_cast<std::int64_t>(known->second.offset));
  if (!known->second.in_frame) return kNone;
  access.address32 = true;
  return low.stack_pointer();
}

std::vector<ptx::Operand> elements_of(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  return vector != nullptr ? vector->parts : std::vector{operand};
}

const std::string* promoted_variable(const Lowering& low, const ptx::Operand& operand) {
  const auto* address = std::get_if<ptx::Address>(&operand.value);
  const auto* symbol = address == nullptr ? nullptr : std::get_if<ptx::Symbol>(&address->base);
  return symbol != nullptr && low.promoted.contains(symbol->name) ? &symbol->name : nullptr;
}

}  // namespace kp::vgpu
