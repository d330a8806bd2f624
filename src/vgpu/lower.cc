// SPDX-License-Identifier: Apache-2.0
// Lowering of a kernel, step by step: calls inlined (lower_flat), variables placed (lower_names),
// instructions lowered to blocks (lower_body), blocks laid out (lower_layout), registers put into
// the register file (lower_registers).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "vgpu/lowering.h"
#include "vgpu/machine_code.h"
#include "vgpu/program.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kMostFileBytes = 64u << 20;  // of one warp's registers

Result<const ptx::Function*> find_entry(const ptx::Module& module, std::string_view kernel) {
  const auto* function = module.find(kernel);
  if (function != nullptr && function->is_entry) return function;
  std::vector<std::string> names;
  for (const auto& one : module.functions) {
    if (one.is_entry) names.push_back(one.name);
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no kernel {} in the PTX", kernel),
              names.empty() ? "declare it extern \"C\" __global__" : "it has " + join(names, ", "));
}

/// The grid barrier of cooperative groups finds its workspace through %envreg1 and %envreg2 and
/// polls it.
bool has_grid_barrier(const Lowering& low) {
  if (!low.mentions.contains("%envreg1") && !low.mentions.contains("%envreg2")) return false;
  return std::any_of(
      low.program.accesses.begin(), low.program.accesses.end(), [](const Access& access) {
        return access.atomic == AtomicOp::kNotAtomic && (access.acquire || access.is_volatile);
      });
}

}  // namespace

Result<Program> lower(const ptx::Module& module, std::string_view kernel) {
  KP_TRY(const ptx::Function* entry, find_entry(module, kernel));
  KP_TRY(const Flat flat, flatten(module, *entry));
  Lowering low(module, flat);
  low.program.kernel = kernel;
  low.program.lines.emplace_back();
  survey(low);
  KP_TRY_VOID(low.place_variables(*entry));
  KP_TRY_VOID(lower_body(low));
  KP_TRY_VOID(save_across_calls(low));
  lay_out(low);
  if (low.registers.size() > kMostFileBytes / (kLanes * 4))
    return fail(ErrorCode::kLimit, fmt::format("kernel {} has too many registers", kernel),
                "unroll less");
  low.registers.place(low.program);
  expect_machine_code(flat, low.program);
  low.program.grid_sync = has_grid_barrier(low);
  return std::move(low.program);
}

}  // namespace kp::vgpu
