// SPDX-License-Identifier: Apache-2.0
// What an instruction asks of the families: its form as their tables spell it. Used by alu.cc and
// expansion.cc.
#pragma once
#include <cstdint>
#include <string>

#include "ptx/module.h"

namespace kp::vgpu {

struct Request {
  std::string form;  // opcode and modifiers without those that change nothing; empty: malformed
  std::uint32_t imm = 0;  // for Operands::imm
  bool compares = false;  // setp, set
  bool combines = false;  // setp, set with a predicate as third source
};

Request request_of(const ptx::Instruction& instruction);

}  // namespace kp::vgpu
