// SPDX-License-Identifier: Apache-2.0
// The text of a disassembler to instructions: `nvdisasm -c` of a cubin, `cuobjdump -sass` of any
// file. Instructions are 16 bytes from sm_70 on; older machine code is not read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::profile {

struct SassInstruction {
  std::uint64_t address = 0;  // in its function, bytes
  std::string predicate;      // "@!P0", "@UP1"; empty: always
  std::string opcode;         // with suffixes: "LDG.E.128"
  std::string operands;       // without the closing semicolon
  /// Addresses that a branch or call may go to; empty for all others, and when the text does not
  /// say.
  std::vector<std::uint64_t> targets;
  /// The opcode without suffixes: "LDG".
  std::string_view name() const;
  bool has_suffix(std::string_view suffix) const;
};

/// A kernel or a function that was not inlined, with the subroutines that the compiler put behind
/// it. Padding at its end is left out.
struct SassFunction {
  std::string name;          // as the linker knows it, mangled
  std::string architecture;  // "sm_90"; empty when the text does not say
  std::vector<SassInstruction> code;
};

/// kInvalidInput when the text holds no function.
Result<std::vector<SassFunction>> read_sass(std::string_view text);

/// The function that a profiler calls `kernel`: the same name, or the only one whose identifier is
/// that of `kernel` before template arguments and parameters. Of those for `architecture`, unless
/// it is empty; "sm_90" includes "sm_90a". Null: none or several.
const SassFunction* find_function(const std::vector<SassFunction>& functions,
                                  std::string_view kernel, std::string_view architecture = {});

}  // namespace kp::profile
