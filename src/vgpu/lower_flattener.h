// SPDX-License-Identifier: Apache-2.0
// The state of one flattening, for lower_flat.cc and lower_functions.cc: the flat kernel as it
// grows, and the calls that are open.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vgpu/lower_calls.h"
#include "vgpu/lower_flat.h"

namespace kp::vgpu {

constexpr std::size_t kMostStatements = 1u << 20;  // of a flat kernel

class Flattener {
 public:
  explicit Flattener(const ptx::Module& module) : module_(module), graph_(module) {}
  Result<Flat> run(const ptx::Function& entry);

 private:
  using Functions = std::vector<const ptx::Function*>;
  struct Copy;  // of a function: what its names become
  // Copies of functions (lower_flat.cc).
  Result<void> append(const ptx::Function& function,
                      std::unordered_map<std::string, std::string> bound);
  Result<void> append_call(const ptx::Instruction& instruction);
  Result<void> append_copy(const ptx::Instruction& instruction, const Call& call,
                           const ptx::Function& callee);
  Result<void> append_printf(const ptx::Instruction& instruction, const Call& call);
  const ptx::Variable* variable(const std::string& name) const;
  Result<const ptx::Function*> callee_of(const ptx::Instruction& instruction,
                                         const Call& call) const;
  void declare(Copy& copy);
  Result<void> instruction(const Copy& copy, ptx::Instruction instruction);
  /// The flat name behind a formal parameter: the actual variable itself, or a new one when the
  /// call passes a register or a literal.
  std::string bind(const ptx::Variable& formal, const ptx::Operand& actual);
  /// Moves a register or literal into (`store`) or out of the variable that bind() made for it.
  void transfer(const ptx::Instruction& call, const ptx::Operand& actual, const std::string& name,
                bool store);
  void branch(const ptx::Instruction& like, std::string label,
              std::optional<ptx::RegisterName> guard);

  // Functions that stay functions (lower_functions.cc).
  Result<void> append_real_call(const ptx::Instruction& instruction, const Call& call,
                                const Functions& callees);
  Result<void> append_function(std::size_t number);
  void request(const ptx::Function& function);
  /// "passed@i" or "returned@i", large enough for `like`.
  std::string mailbox(std::string_view kind, std::size_t number, const ptx::Variable& like);
  /// Copies a variable of a call into a mailbox, or a mailbox into one.
  void copy(const ptx::Instruction& like, const ptx::Variable& from, const ptx::Variable& to);
  void move(const ptx::Instruction& like, std::string opcode, unsigned bytes,
            std::vector<ptx::Operand> operands);

  const ptx::Module& module_;
  CallGraph graph_;
  Flat flat_;
  std::map<std::string, ptx::Variable> mailboxes_;
  std::vector<const ptx::Function*> calls_;  // open ones, outermost first
  std::unordered_set<std::string> shared_;   // variables that all copies of a function share
  std::size_t copies_ = 0;
};

}  // namespace kp::vgpu
