// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the virtual GPU, chosen once at lowering. One file per family in this folder; the
// families are listed in alu.cc. Compiled for x86-64-v3 and for baseline x86-64; `select` picks what the
// host can run. Values are exact: IEEE 754 with the instruction's rounding, single-rounded fma, ftz and
// sat as written; approximate instructions follow fixed code of our own whose error stays within, and
// near, the bound of the PTX manual.
#pragma once
#include <optional>

#include "ptx/module.h"
#include "vgpu/instruction.h"

namespace kp::vgpu {

struct AluChoice {
  Alu run = nullptr;
  Class cls = Class::kMisc;
  std::uint32_t sass = 1;      // expansion, from the table in expansion.cc
  std::uint32_t imm = 0;       // value for Operands::imm
  /// Bytes a lane of dst, dst2, a, b, c, d (0 none, 1 means predicate mask); lowering places operands and
  /// converts immediates to these widths.
  std::uint8_t lane_bytes[6] = {};
};

/// The arithmetic of `instruction` (by opcode and modifiers), or nothing when the form is unknown.
/// Covers everything whose effect is on registers alone: integer, bit, float, half, bf16, double,
/// conversions, comparisons, selection, moves and packing (mov.b64 {lo,hi}), approximations, and
/// shfl / vote / match / redux / activemask over the active lanes (their member mask is in operand d and
/// is the executor's business), mma.sync fragments.
std::optional<AluChoice> select_alu(const ptx::Instruction& instruction);

/// Host instruction level in use: "x86-64-v3" or "x86-64".
const char* alu_level();

}  // namespace kp::vgpu
