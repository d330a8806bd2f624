// SPDX-License-Identifier: Apache-2.0
// Arrays that each thread has for itself, and whether their subscripts are known when compiling: an
// array with an unknown subscript has an address and lives in local memory, else in registers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/loops.h"
#include "propose/syntax.h"

namespace kp::propose {

struct LocalArray {
  std::string name, type;
  SyntaxNode kernel, declaration;
  SyntaxNode initialiser;             // invalid when there is none
  std::vector<std::int64_t> extents;  // of each dimension, outermost first
  std::vector<SyntaxNode> uses;       // fully subscripted
  std::vector<CountedLoop> loops;     // of constant length, whose indices stand in subscripts
  std::vector<SyntaxNode> unknown;    // uses whose subscripts stay unknown with all loops unrolled
};

/// The arrays of a kernel that are declared alone, have constant extents, and are only subscripted.
/// `most_turns`: longer loops count as not to be unrolled.
std::vector<LocalArray> local_arrays(const SourceTree& tree, const SyntaxNode& kernel,
                                     const Bindings& tune, std::int64_t most_turns);

/// The subscripts of a fully subscripted use, outermost first.
std::vector<SyntaxNode> subscripts_of(const SyntaxNode& use);

}  // namespace kp::propose
