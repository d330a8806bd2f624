// SPDX-License-Identifier: Apache-2.0
// The state of one lowering and the verbs that its parts (lower_*.cc) share. Registers are numbers
// of Registers until the end.
#pragma once
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "vgpu/lower_flat.h"
#include "vgpu/lower_registers.h"
#include "vgpu/program.h"

namespace kp::vgpu {

/// A basic block: instructions without jumps, and how it ends.
struct BasicBlock {
  std::vector<Instruction> code;
  std::optional<Instruction> branch;       // kBranch (guarded, to `target`) or kBranchTable
  int target = -1;                         // of the guarded branch
  int table = -1;                          // index into Program::tables
  int next = -1;                           // where it goes otherwise; -1: the lanes have ended
  std::uint32_t line = 0, ptx_line = 0;    // of the jump to `next`, if one is needed
  int function = -1;                       // index into Lowering::frames; -1: of the kernel
  const ptx::Instruction* call = nullptr;  // its code ends with this call
};

/// A variable of the kernel that is neither a register nor static: where it starts in its space.
struct Placed {
  ptx::Space space = ptx::Space::kShared;
  std::uint64_t offset = 0;
  bool in_frame = false;  // of the running function: `offset` counts from the stack pointer
};

/// What a function that stayed one keeps on the stack, and where its code is.
struct Frame {
  std::uint64_t bytes = 0;
  int entry = -1;  // block
};

/// A parameter of an inlined call kept in registers: byte offset -> register.
using Promoted = std::unordered_map<std::uint64_t, std::uint32_t>;

struct Lowering {
  Lowering(const ptx::Module& of, const Flat& body) : module(of), flat(body) {}

  const ptx::Module& module;
  const Flat& flat;
  Program program;
  Registers registers;
  std::vector<BasicBlock> blocks;
  std::vector<Frame> frames;             // by Flat::functions
  int function = -1;                     // being lowered; -1: the kernel
  const ptx::Instruction* at = nullptr;  // being lowered
  std::size_t current = 0;               // block that emit() appends to
  std::uint32_t guard = kNone;           // of `at`
  std::unordered_map<std::string, Placed> placed;
  std::unordered_map<std::string, Promoted> promoted;
  std::unordered_map<std::string, unsigned> mentions;  // of a register in the whole kernel

  // Names (lower_names.cc).
  Result<void> place_variables(const ptx::Function& entry);
  Result<std::uint32_t> named_register(const std::string& name);
  /// The register behind an operand, read; `lane_bytes` 1, 4, 8 or 16 (2 means 4). Literals become
  /// constants, negated predicates and registers of another width a conversion.
  Result<std::uint32_t> source(const ptx::Operand& operand, unsigned lane_bytes);
  /// A 64- or 32-bit register with the address of a variable, in its own space.
  Result<std::uint32_t> symbol_address(const std::string& name, std::int64_t offset,
                                       unsigned lane_bytes);

  /// Nothing when there is no function of that name.
  std::optional<std::uint64_t> function_address(const std::string& name) const;

  // Emission (lower_emit.cc). All carry the guard and the line of `at`.
  Instruction make(Kind kind, Class cls, const Operands& op, std::uint32_t sass = 1);
  Instruction& emit(Kind kind, Class cls, const Operands& op, std::uint32_t sass = 1);
  /// Arithmetic by its PTX form on registers, such as ("add.s64", sum, {a, b}).
  Result<void> arithmetic(std::string_view form, std::uint32_t dst,
                          std::initializer_list<std::uint32_t> sources);
  /// A move that the assembler would not need: it counts as no machine instruction.
  Result<void> copy(std::uint32_t dst, std::uint32_t from);
  std::uint32_t access(const Access& access);
  std::uint32_t stack_pointer();  // 32-bit: where the running function's frame starts
  std::uint32_t carry();          // the predicate that holds the carry flag
  std::uint32_t line_of(const ptx::Instruction& instruction);
  Result<std::uint32_t> narrowed(std::uint32_t wide);  // the low 32 bits
  Result<void> widen(std::uint32_t dst, std::uint32_t low,
                     ptx::Type type);  // by the sign of `type`

  tl::unexpected<Error> unsupported_form(std::string hint = {}) const;
  tl::unexpected<Error> malformed_form(std::string_view what) const;

 private:
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::uint32_t carry_ = kNone, stack_pointer_ = kNone;
  std::unordered_map<std::string, const ptx::Variable*> declared_;
  std::unordered_map<std::string, std::size_t> statics_;
  std::map<std::pair<int, int>, std::uint32_t> lines_;
  Result<void> place_parameters(const ptx::Function& entry);
  void place_reserved();                                         // %reserved_smem_offset
  Result<std::size_t> static_variable(const std::string& name);  // with all that it points to
  Result<std::size_t> add_static(const std::string& name);
  const ptx::Variable* declared_register(const std::string& name) const;
  Frame* frame_of_variable(std::size_t index);
  /// stack pointer + offset, as wide as the offset.
  Result<std::uint32_t> in_frame(std::uint32_t offset);
};

// One lowering of each family; all work on Lowering::at.
Result<void> lower_arithmetic(Lowering& low);  // lower_arithmetic.cc
Result<void> lower_load(Lowering& low);        // lower_memory.cc
Result<void> lower_store(Lowering& low);
Result<void> lower_atomic(Lowering& low);      // lower_atomic.cc
Result<void> lower_copy_async(Lowering& low);  // lower_async.cc
Result<void> lower_address(Lowering& low);     // lower_address.cc: cvta, isspacep
Result<void> lower_barrier(Lowering& low);     // lower_barrier.cc
Result<void> lower_fence(Lowering& low);
Result<void> lower_sleep(Lowering& low);
Result<void> lower_trap(Lowering& low);
Result<void> lower_prefetch(Lowering& low);
Result<void> lower_policy(Lowering& low);  // of the cache, which values do not depend on
Result<void> lower_nothing(Lowering& low);
Result<void> lower_matrix(Lowering& low);        // lower_matrix.cc
Result<void> lower_wmma(Lowering& low);          // lower_wmma.cc
Result<void> lower_mbarrier(Lowering& low);      // lower_mbarrier.cc
Result<void> lower_async_arrive(Lowering& low);  // cp.async.mbarrier.arrive

/// lower_stack.cc: a call of a function that stayed one, and what must survive the calls of
/// functions that may be called again while they run.
Result<void> lower_call(Lowering& low);
Result<void> save_across_calls(Lowering& low);

Result<void> lower_body(Lowering& low);  // lower_body.cc: the flat body to blocks
void lay_out(Lowering& low);             // lower_layout.cc: blocks to Program::code
/// Fills `promoted` and `mentions` from the flat body (lower_promote.cc).
void survey(Lowering& low);

}  // namespace kp::vgpu
