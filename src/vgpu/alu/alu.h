// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the virtual GPU, chosen once at lowering. One file per family in this folder; the
// families are listed in alu.cc. Compiled for x86-64-v3 and for baseline x86-64; `select` picks
// what the host can run. Values are exact: IEEE 754 with the instruction's rounding, single-rounded
// fma, ftz and sat as written; approximate instructions follow fixed code of our own whose error
// stays within, and near, the bound of the PTX manual.
#pragma once
#include <optional>

#include "ptx/module.h"
#include "vgpu/instruction.h"

namespace kp::vgpu {

struct AluChoice {
  Alu run = nullptr;
  Class cls = Class::kMisc;
  std::uint32_t sass = 1;  // expansion, from the table in expansion.cc
  std::uint32_t imm = 0;   // value for Operands::imm
  /// Bytes a lane of dst, dst2, a, b, c, d (0 none, 1 means predicate mask); lowering places
  /// operands and converts immediates to these widths.
  std::uint8_t lane_bytes[6] = {};
  bool writes_carry = false;  // .cc: dst2 is the carry flag, which the PTX text does not name
  bool reads_carry = false;   // addc, subc, madc: the last source is the carry flag
};

/// How operands are placed, beyond "destination, then a, b, c, d in the order of the text":
/// - A negated predicate source is lowering's to negate first (not.pred).
/// - `p|q` is dst and dst2; either may be kNone where the text has a sink. Rows of different
/// operands
///   are identical or disjoint.
/// - lop3's table goes to imm, and so does all that setp and set need; no operand stands for them,
/// so
///   that the q of lop3.or is d.
/// - mov of a vector: parts of a source are a, b, c, d; two parts of a destination are dst and
/// dst2;
///   four are consecutive rows that begin at dst (lane_bytes[0] is then their sum).
/// - mma: a fragment of n registers is n consecutive rows of 128 bytes (256 for f64) that begin at
/// its
///   operand, and its lane_bytes is the sum. Lowering gathers and scatters with mov.
/// - Registers of 8 and 16 bits use the low bits of their words (2 bytes a lane); the bits above
/// are
///   unspecified, except that an integer cvt extends its result to the word.

enum class AluLevel : std::uint8_t { kBaseline, kV3 };

/// The arithmetic of `instruction` (by opcode and modifiers), or nothing when the form is unknown.
/// Covers everything whose effect is on registers alone: integer, bit, float, half, bf16, double,
/// conversions, comparisons, selection, moves and packing (mov.b64 {lo,hi}), approximations, and
/// shfl / vote / match / redux / activemask over the active lanes (their member mask is in operand
/// d and is the executor's business), mma.sync fragments.
std::optional<AluChoice> select_alu(const ptx::Instruction& instruction);

/// The same at a given level, which the host must support; for tests and benchmarks.
std::optional<AluChoice> select_alu(const ptx::Instruction& instruction, AluLevel level);

/// The level in use: the best that the host supports; "x86-64-v3" or "x86-64".
AluLevel best_alu_level();
const char* alu_level();

}  // namespace kp::vgpu
