// SPDX-License-Identifier: Apache-2.0
// Cheaper ways to compute the same integers: shifts for divisions, one division for quotient and
// remainder, addresses computed before a loop, 32 bits where the plan's arrays fit. Each gives the
// source with one kernel changed, or nothing when there is nothing to change.
#pragma once
#include <optional>
#include <string>

#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

/// i / 32 and i % 32 become i >> 5 and i & 31 for signed i that cannot be negative: thread indices,
/// rising loop indices, arguments that the plan never makes negative, and what is computed of them.
std::optional<std::string> shift_divisions(const Subject& subject, const SyntaxNode& kernel);

/// i / w and i % w of one block share a division: the remainder becomes i - quotient * w.
std::optional<std::string> share_divisions(const Subject& subject, const SyntaxNode& kernel);

/// p[base + k] in a loop over k becomes p_k[k] with p_k = p + base, and p[base + k * stride] a
/// pointer that advances by the stride. Only sums without subtraction, so that unsigned ones cannot
/// wrap.
std::optional<std::string> hoist_addresses(const Subject& subject, const SyntaxNode& kernel);

/// 64-bit variables, parameters and casts that only make up subscripts and bounds become 32-bit
/// ones. Nothing unless all arrays and launches of all workloads leave room below 2^31.
std::optional<std::string> narrow_indices(const Subject& subject, const SyntaxNode& kernel);

}  // namespace kp::propose
