// SPDX-License-Identifier: Apache-2.0
// What a reply consists of, before it is decided what belongs together.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/expr.h"

namespace kp::propose {

enum class PieceKind {
  kKernels,  // CUDA source with at least one kernel
  kPlan,     // a plan alone
  kDiff,
  kHeader,  // source without kernels that has a name: another file may include it
  kOther,   // shell commands, numbers, other languages
};

struct Piece {
  PieceKind kind = PieceKind::kOther;
  std::string before;         // prose that leads to it
  std::string name;           // of a file; may be empty
  std::string text;           // of a plan: with its comment delimiters
  std::string idea, follows;  // where the reply names them apart (JSON)
  Bindings tune;
  bool complete = true;  // false: the reply ended inside
};

/// `text` as it came.
std::vector<Piece> read_pieces(std::string_view text);

/// Whether the text says anything about a file of its own kind.
PieceKind kind_of(std::string_view text, std::string_view tag, std::string_view name);

/// The plan as a comment: what stands between the delimiters, or bare statements, gets some.
std::string plan_comment(std::string_view text);

}  // namespace kp::propose
