// SPDX-License-Identifier: Apache-2.0
// Counted loops: one index that rises by the same step to a bound, none of which the body changes.
//
//     for (int i = FIRST; i < BOUND; i += STEP) BODY        also <=, mirrored, ++i, i = i + STEP
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/expr.h"
#include "propose/edit.h"
#include "propose/syntax.h"

namespace kp::propose {

struct CountedLoop {
  SyntaxNode statement;    // the for statement
  std::string index;       // i
  std::string type;        // of `int i = ...`; empty when i was declared before the loop
  SyntaxNode first;        // FIRST
  SyntaxNode bound;        // BOUND, loads nothing from memory
  bool inclusive = false;  // i <= BOUND
  std::string step;        // text of STEP, "1" for ++i
  SyntaxNode body;         // a statement; its text without braces is text_of_body()
  std::vector<SyntaxNode> statements;  // of the body, comments left out
};

/// Nothing when the loop has another form, or leaves early (break, return, goto; `continue` is
/// told apart by has_continue()).
std::optional<CountedLoop> match_counted_loop(const SourceTree& tree, const SyntaxNode& statement);

/// The counted loops below `scope` in order of appearance; outer ones before inner ones.
std::vector<CountedLoop> counted_loops(const SourceTree& tree, const SyntaxNode& scope);

/// The loop has no counted or other loop inside.
bool is_innermost(const SourceTree& tree, const CountedLoop& loop);
/// A `continue` that belongs to this loop.
bool has_continue(const SourceTree& tree, const CountedLoop& loop);
/// The body's text between its braces, or the single statement.
std::string text_of_body(const SourceTree& tree, const CountedLoop& loop);
/// A `#pragma unroll` directly before the loop; invalid when there is none.
SyntaxNode unroll_pragma(const CountedLoop& loop);

/// Puts `#pragma unroll`, or `#pragma unroll TURNS` when TURNS is not 0, on a line before the loop.
void insert_unroll(Edits& edits, const SourceTree& tree, const CountedLoop& loop, int turns);

/// The value of an integer constant expression over literals, object-like macros, `const` and
/// `constexpr` variables with constant values, and tune parameters.
std::optional<std::int64_t> constant_integer(const SourceTree& tree, const SyntaxNode& expression,
                                             const Bindings& tune);
/// The number of turns when first, bound and step are constants.
std::optional<std::int64_t> trip_count(const SourceTree& tree, const CountedLoop& loop,
                                       const Bindings& tune);

}  // namespace kp::propose
