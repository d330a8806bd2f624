// SPDX-License-Identifier: Apache-2.0
// The two operands of a contraction's product: which output index each belongs to, what it loads
// and how its elements lie in memory. Part of match_contraction().
#pragma once
#include <optional>

#include "propose/contraction.h"
#include "propose/reduction.h"

namespace kp::propose {

/// Fills `shape.a` and `shape.b` from the statement that sums, `step` in its usual form. The
/// indices, the locals, the loop and the sum of `shape` are known. A refusal when it does not sum a
/// product of one operand of each index.
std::optional<Refusal> read_operands(const SourceTree& tree, const Accumulation& step,
                                     const SyntaxNode& statement, Contraction& shape);

}  // namespace kp::propose
