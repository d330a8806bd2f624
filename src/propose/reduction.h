// SPDX-License-Identifier: Apache-2.0
// Statements that combine a value into an accumulator, in their usual spellings, and the operation
// by which they do it. Rewrites that deal out or reorder such statements use it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "propose/syntax.h"

namespace kp::propose {

/// An operation whose order does not matter (but for the rounding of floating sums).
enum class Combine { kAdd, kMax, kMin, kAnd, kOr, kXor };

/// `target op= value`.
struct Accumulation {
  Combine combine = Combine::kAdd;
  SyntaxNode target;                // sum, or a[i]
  std::optional<SyntaxNode> value;  // absent in x -= v, ++x and fmaf(a, b, x)
  int mentions = 0;                 // how often the statement names the target
};

/// x += v; x -= v; ++x; x = x + v; x = fmaf(a, b, x); x = fmaxf(x, v), max(v, x), ...;
/// x = x > v ? x : v; if (v > x) x = v; x &= v; x |= v; x ^= v. Operands in any order.
std::optional<Accumulation> match_accumulation(const SyntaxNode& statement);

/// "add", "max", ...
std::string_view name_of(Combine combine);
/// True when combining a value twice changes nothing.
bool is_idempotent(Combine combine);
/// Source text of `left` combined with `right`, both operands of the highest precedence.
std::string combined(Combine combine, std::string_view left, std::string_view right);
/// Source text of the value that changes nothing; nothing for max and min of types other than
/// 32-bit integers.
std::optional<std::string> identity_of(Combine combine, std::string_view type);

/// True when both cover the same text but for white space.
bool same_text(const SyntaxNode& one, const SyntaxNode& other);

}  // namespace kp::propose
