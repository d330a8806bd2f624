// SPDX-License-Identifier: Apache-2.0
// Who calls whom in a module: what lower_flat.cc asks to decide which calls it can replace by a
// copy of the function called.
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace kp::vgpu {

/// The parts of a call, see parse.h.
struct Call {
  std::vector<ptx::Operand> returns, arguments;
  std::string callee;                    // of a direct call
  const ptx::Operand* target = nullptr;  // of a call through a pointer
};
Call call_parts(const ptx::Instruction& instruction);

class CallGraph {
 public:
  explicit CallGraph(const ptx::Module& module) : module_(module) {}
  /// Whether the function may be called again while it runs.
  bool recursive(const ptx::Function& function);
  /// What a call through a pointer may call: functions whose address is taken, with as many results
  /// and parameters.
  std::vector<const ptx::Function*> targets(const Call& call);

 private:
  using Functions = std::vector<const ptx::Function*>;
  const Functions& callees(const ptx::Function& function);
  const Functions& taken();
  const ptx::Function* defined(const std::string& name);

  const ptx::Module& module_;
  std::unordered_map<const ptx::Function*, Functions> callees_;
  std::unordered_map<const ptx::Function*, bool> recursive_;
  std::unordered_map<std::string, const ptx::Function*> by_name_;
  Functions taken_;
  bool has_taken_ = false;
};

}  // namespace kp::vgpu
