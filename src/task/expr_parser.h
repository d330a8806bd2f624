// SPDX-License-Identifier: Apache-2.0
// Integer expressions: from tokens of a plan, and from the strings of definition.json.
#pragma once
#include "model/expr.h"
#include "task/cursor.h"

namespace kp::task {

/// The longest expression that starts at the cursor. Errors: nesting deeper than 64, more than 4096
/// operands and operators, an operand missing, an unknown function, a floating literal.
Result<Expr> parse_expr(Cursor& cursor);

/// A whole string in Python's notation (`//` divides). The spot of an error counts within `text`.
Result<Expr> parse_python_expr(std::string_view text);

}  // namespace kp::task
