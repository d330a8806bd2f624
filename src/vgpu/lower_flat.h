// SPDX-License-Identifier: Apache-2.0
// A kernel with its calls replaced by copies of the functions called: the first step of lowering.
// Every copy has names of its own: "%r1" of the second call is "%r1#2".
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ptx/module.h"

namespace kp::vgpu {

struct Flat {
  std::vector<ptx::Statement> body;      // no call; ret only where the kernel itself ends
  std::vector<ptx::Variable> variables;  // of the kernel and of all copies; kParam: of calls
  std::vector<ptx::BranchTable> tables;
};

/// kUnsupported for recursion, calls through pointers, and functions without a body.
Result<Flat> flatten(const ptx::Module& module, const ptx::Function& entry);

/// Calls `visit(name, is_register)` for every name in the operand; visit may change the name.
void for_each_name(ptx::Operand& operand, const std::function<void(std::string&, bool)>& visit);

}  // namespace kp::vgpu
