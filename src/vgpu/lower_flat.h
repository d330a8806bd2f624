// SPDX-License-Identifier: Apache-2.0
// A kernel with its calls replaced by copies of the functions called: the first step of lowering.
// Every copy has names of its own: "%r1" of the second call is "%r1#2". Functions that call
// themselves or are called through pointers stay functions; lower_stack.cc says how they are
// called.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ptx/module.h"

namespace kp::vgpu {

/// A function that stayed one. Its arguments are in the variables "passed@0", ..., its results go
/// to "returned@0", ...; `ret` stands at its end alone.
struct FlatFunction {
  const ptx::Function* source = nullptr;
  bool recursive = false;
  std::size_t first_statement = 0, first_variable = 0, end_variable = 0;
};

struct Flat {
  /// The kernel, then its functions. Calls are direct ("call" and a symbol) or through a register.
  std::vector<ptx::Statement> body;
  std::vector<ptx::Variable> variables;  // of the kernel and of all copies; kParam: of calls
  std::vector<ptx::BranchTable> tables;
  std::vector<FlatFunction> functions;
};

/// The variables that carry arguments and results from caller to callee.
inline bool is_mailbox(const std::string& variable) {
  return variable.starts_with("passed@") || variable.starts_with("returned@");
}

/// kUnsupported for functions without a body.
Result<Flat> flatten(const ptx::Module& module, const ptx::Function& entry);

/// Calls `visit(name, is_register)` for every name in the operand; visit may change the name.
void for_each_name(ptx::Operand& operand, const std::function<void(std::string&, bool)>& visit);

}  // namespace kp::vgpu
