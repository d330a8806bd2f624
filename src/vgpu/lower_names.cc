// SPDX-License-Identifier: Apache-2.0
// What the names of a kernel stand for: registers, variables and their places.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/number.h"
#include "vgpu/bits.h"
#include "vgpu/lower_error.h"
#include "vgpu/lowering.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

constexpr std::uint64_t kMostShared = 1u << 20;   // far beyond what any block has
constexpr std::uint64_t kMostLocal = 512u << 10;  // of CUDA, per thread
constexpr std::uint64_t kMostParameters = 32764;  // of CUDA 12.1 and later
constexpr std::uint64_t kBeyond = 1ull << 60;
constexpr std::uint64_t kDynamicAlign = 16;

std::uint64_t natural_align(const ptx::Variable& variable) {
  if (variable.align != 0) return variable.align;
  return std::max<std::uint64_t>(
      1, ptx::bytes_of(variable.type) * static_cast<std::uint64_t>(variable.vector));
}

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

std::uint64_t place(std::uint64_t& used, const ptx::Variable& variable) {
  const std::uint64_t offset = align_up(used, natural_align(variable));
  // Foreign sizes may be anything; what is beyond the bound is refused later.
  used = std::min(offset + variable.bytes(), kBeyond);
  return offset;
}

/// Shared memory that a block has beside its own variables, for large tiles of cooperative groups.
constexpr std::string_view kReservedName = "%reserved_smem_offset";
constexpr std::uint64_t kReservedShared = 1024, kReservedAlign = 128;
bool is_reserved_shared(const std::string& name) { return name.starts_with(kReservedName); }

bool is_dynamic(const ptx::Variable& variable) {
  return variable.space == ptx::Space::kShared && variable.elements == 0;
}

/// "%r12#3": declared as the range "%r#3".
std::string range_of(const std::string& name) {
  const std::size_t hash = std::min(name.find('#'), name.size());
  const std::size_t last = name.find_last_not_of("0123456789", hash == 0 ? 0 : hash - 1);
  return name.substr(0, last == std::string::npos ? 0 : last + 1) + name.substr(hash);
}

}  // namespace

Result<void> Lowering::place_parameters(const ptx::Function& entry) {
  std::uint64_t parameters = 0;
  for (const auto& parameter : entry.parameters) {
    const auto offset = place(parameters, parameter);
    placed[parameter.name] = {ptx::Space::kParam, offset};
    program.parameters.push_back({parameter.name, static_cast<std::uint32_t>(offset),
                                  static_cast<std::uint32_t>(parameter.bytes()), parameter.type});
  }
  if (parameters > kMostParameters)
    return fail(ErrorCode::kLimit,
                fmt::format("kernel {} has {} bytes of parameters; the most is {}", entry.name,
                            parameters, kMostParameters),
                "pass a pointer instead");
  program.parameter_bytes = static_cast<std::uint32_t>(parameters);
  return {};
}

void Lowering::place_reserved() {
  const bool is_used = std::any_of(mentions.begin(), mentions.end(),
                                   [](const auto& name) { return is_reserved_shared(name.first); });
  if (!is_used) return;
  ptx::Variable reserved;
  reserved.type = ptx::Type::kB8;
  reserved.elements = kReservedShared;
  reserved.align = kReservedAlign;
  program.reserved_shared = place(program.static_shared, reserved);
  program.reserved_shared_bytes = kReservedShared;
}

Result<void> Lowering::place_variables(const ptx::Function& entry) {
  KP_TRY_VOID(place_parameters(entry));
  std::uint64_t dynamic_align = 1;
  std::vector<const ptx::Variable*> dynamic;
  frames.resize(flat.functions.size());
  const auto visit = [&](const ptx::Variable& variable, Frame* frame = nullptr) {
    declared_[variable.name] = &variable;
    if (is_dynamic(variable)) {
      dynamic.push_back(&variable);
      dynamic_align = std::max({dynamic_align, kDynamicAlign, natural_align(variable)});
    } else if (variable.space == ptx::Space::kShared && mentions.contains(variable.name)) {
      placed[variable.name] = {variable.space, place(program.static_shared, variable)};
    } else if (variable.space == ptx::Space::kLocal ||
               (variable.space == ptx::Space::kParam && !promoted.contains(variable.name))) {
      auto& used = frame == nullptr ? program.local_bytes : frame->bytes;
      placed[variable.name] = {ptx::Space::kLocal, place(used, variable), frame != nullptr};
    }
  };
  for (const auto& variable : module.globals) visit(variable);
  place_reserved();
  for (std::size_t i = 0; i < flat.variables.size(); ++i)
    visit(flat.variables[i], frame_of_variable(i));
  if (program.static_shared > kMostShared || program.local_bytes > kMostLocal)
    return fail(
        ErrorCode::kLimit,
        fmt::format("kernel {} has {} bytes of shared memory and {} bytes of local memory a thread",
                    entry.name, program.static_shared, program.local_bytes),
        "make its arrays smaller");
  program.static_shared = align_up(program.static_shared, dynamic_align);
  for (const auto* variable : dynamic)
    placed[variable->name] = {ptx::Space::kShared, program.static_shared};
  return {};
}

Frame* Lowering::frame_of_variable(std::size_t index) {
  for (std::size_t i = 0; i < flat.functions.size(); ++i) {
    const auto& one = flat.functions[i];
    if (index >= one.first_variable && index < one.end_variable) return &frames[i];
  }
  return nullptr;
}

std::optional<std::uint64_t> Lowering::function_address(const std::string& name) const {
  const auto found = std::find_if(module.functions.begin(), module.functions.end(),
                                  [&](const ptx::Function& one) { return one.name == name; });
  if (found == module.functions.end()) return std::nullopt;
  return kFunctions + kFunctionBytes * static_cast<std::uint64_t>(found - module.functions.begin());
}

const ptx::Variable* Lowering::declared_register(const std::string& name) const {
  auto found = declared_.find(name);
  if (found == declared_.end()) found = declared_.find(range_of(name));
  const bool ok = found != declared_.end() && found->second->space == ptx::Space::kRegister;
  return ok ? found->second : nullptr;
}

Result<std::uint32_t> Lowering::named_register(const std::string& name) {
  if (const auto bytes = clock_bytes(name); bytes != 0) {
    Operands op;
    op.dst = registers.add(bytes);
    emit(Kind::kClock, Class::kMove, op);
    return op.dst;
  }
  const auto [known, fresh] = by_name_.try_emplace(name, kNone);
  if (!fresh) return known->second;
  if (is_reserved_shared(name))
    return known->second = registers.constant(program.reserved_shared, 4);
  if (const auto special = special_register(name)) {
    known->second = registers.special(*special);
    return known->second;
  }
  const auto* variable = declared_register(name);
  if (variable == nullptr) return malformed_form(fmt::format("register {} is not declared", name));
  known->second = registers.add(register_bytes(variable->type));
  return known->second;
}

Result<std::uint32_t> Lowering::source(const ptx::Operand& operand, unsigned lane_bytes) {
  const unsigned bytes = lane_bytes == 2 ? 4 : lane_bytes;
  if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value)) {
    if (bytes == 1) return registers.constant(literal->bits != 0 ? 1 : 0, 1);
    return registers.constant(ptx::bits_in(*literal, std::min(lane_bytes, 8u)),
                              static_cast<std::uint8_t>(bytes));
  }
  if (const auto* symbol = std::get_if<ptx::Symbol>(&operand.value))
    return symbol_address(symbol->name, 0, bytes);
  if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
    if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base))
      return symbol_address(symbol->name, address->offset, bytes);
  }
  const auto* name = std::get_if<ptx::RegisterName>(&operand.value);
  if (name == nullptr) return malformed_form("an operand that is not a register or a literal");
  KP_TRY(const std::uint32_t number, named_register(name->name));
  const unsigned has = registers.lane_bytes(number);
  if ((has == 1) != (bytes == 1))
    return malformed_form(fmt::format("{} has the wrong type", name->name));
  if (name->negated) {
    const auto inverse = registers.add(1);
    KP_TRY_VOID(arithmetic("not.pred", inverse, {number}));
    return inverse;
  }
  if (has == bytes) return number;
  if (has == 8 && bytes == 4) return narrowed(number);
  if (has != 4 || bytes != 8)
    return malformed_form(fmt::format("{} has the wrong width", name->name));
  const auto wide = registers.add(8);
  KP_TRY_VOID(widen(wide, number, ptx::Type::kU32));
  return wide;
}

Result<std::size_t> Lowering::add_static(const std::string& name) {
  if (const auto known = statics_.find(name); known != statics_.end()) return known->second;
  const auto found = declared_.find(name);
  if (found == declared_.end()) return malformed_form(fmt::format("{} is not declared", name));
  const auto& variable = *found->second;
  if (variable.space != ptx::Space::kGlobal && variable.space != ptx::Space::kConst)
    return malformed_form(fmt::format("{} has no address here", name));
  const std::size_t index = program.statics.size();
  statics_[name] = index;
  program.statics.push_back(
      {name, variable.space, variable.bytes(), natural_align(variable), variable.initial, {}, {}});
  return index;
}

Result<std::size_t> Lowering::static_variable(const std::string& name) {
  const std::size_t before = program.statics.size();
  KP_TRY(const std::size_t index, add_static(name));
  // Initial values name more variables, which come behind.
  for (std::size_t i = before; i < program.statics.size(); ++i) {
    for (const auto& [offset, symbol] : declared_.at(program.statics[i].name)->relocations) {
      if (const auto address = function_address(symbol); address && !declared_.contains(symbol)) {
        add_to(program.statics[i].initial, offset, *address);
        continue;
      }
      KP_TRY(const std::size_t target, add_static(symbol));
      program.statics[i].relocations.emplace_back(offset, static_cast<std::uint32_t>(target));
    }
  }
  return index;
}

Result<std::uint32_t> Lowering::in_frame(std::uint32_t offset) {
  const auto bytes = registers.lane_bytes(offset);
  auto start = stack_pointer();
  if (bytes == 8) {
    start = registers.add(8);
    KP_TRY_VOID(widen(start, stack_pointer(), ptx::Type::kU32));
  }
  const auto sum = registers.add(bytes);
  KP_TRY_VOID(arithmetic(bytes == 8 ? "add.s64" : "add.s32", sum, {start, offset}));
  return sum;
}

Result<std::uint32_t> Lowering::symbol_address(const std::string& name, std::int64_t offset,
                                               unsigned lane_bytes) {
  const auto bytes = static_cast<std::uint8_t>(lane_bytes);
  if (bytes != 4 && bytes != 8) return malformed_form("an address needs 32 or 64 bits");
  if (const auto known = placed.find(name); known != placed.end()) {
    const std::uint64_t address = known->second.offset + static_cast<std::uint64_t>(offset);
    const auto place = registers.constant(bytes == 4 ? address & 0xffff'ffff : address, bytes);
    return known->second.in_frame ? in_frame(place) : place;
  }
  if (const auto address = function_address(name); address && !declared_.contains(name))
    return registers.constant(*address + static_cast<std::uint64_t>(offset), bytes);
  KP_TRY(const std::size_t index, static_variable(name));
  auto& uses = program.statics[index].address_registers;
  if (uses.empty()) uses.push_back(registers.pin(registers.add(8)));
  const auto base = uses.front();
  if (offset == 0) return base;
  const auto sum = registers.add(8);
  KP_TRY_VOID(arithmetic("add.s64", sum,
                         {base, registers.constant(static_cast<std::uint64_t>(offset), 8)}));
  return sum;
}

}  // namespace kp::vgpu
