// SPDX-License-Identifier: Apache-2.0
// Reads PTX as NVRTC and nvcc emit it (ISA 7.x to 9.x, 64-bit addresses).
#pragma once
#include <string_view>

#include "base/result.h"
#include "ptx/module.h"

namespace kp::ptx {

/// `name` stands for the text in error spots. Never crashes on foreign text; refuses more than 64
/// MiB, nesting beyond 64, and anything that is not PTX, with line and column. A call keeps its
/// operands in the order: return list (Vector, may be absent), callee Symbol or RegisterName,
/// argument list (Vector, may be absent), prototype or target list (Symbol, may be absent). Nested
/// scopes `{ }` are flattened; a register, parameter or label declared in an inner scope is renamed
/// with a suffix that no PTX name can have, so that names in one function are unique.
Result<Module> parse(std::string_view text, const std::string& name = "kernel.ptx");

}  // namespace kp::ptx
