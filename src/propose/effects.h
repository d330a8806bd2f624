// SPDX-License-Identifier: Apache-2.0
// What evaluating a piece of a kernel may change. Rewrites that move, repeat or reorder code ask
// here. Answers are conservative: what is not recognised may change anything.
#pragma once
#include <string_view>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

/// The identifiers called `name` below `scope` (itself included), members of structures left out.
std::vector<SyntaxNode> mentions_of(const SourceTree& tree, const SyntaxNode& scope,
                                    std::string_view name);

/// A macro in `scope` whose replacement assigns or steps something.
bool assigns_by_macro(const SourceTree& tree, const SyntaxNode& scope);
/// Some function called `callee` takes a reference.
bool takes_references(const SourceTree& tree, std::string_view callee);

/// True when running `scope` may give the variable `name` (a scalar or a pointer, not what it
/// points to) another value: assigned, stepped, its address taken, bound to a reference, an operand
/// of assembly, captured, or behind a macro that assigns.
bool may_change(const SourceTree& tree, const SyntaxNode& scope, std::string_view name);

/// True when evaluating the expression or statement changes nothing outside and does nothing but
/// arithmetic and loads: no assignment, no call but of mathematical functions and of functions of
/// the file that are pure themselves.
bool is_pure(const SourceTree& tree, const SyntaxNode& node);

/// True when the expression has the same value wherever it stands in `scope`: pure, loads nothing
/// from memory, and none of its variables may change there.
bool is_invariant(const SourceTree& tree, const SyntaxNode& expression, const SyntaxNode& scope);

/// True when the file declares exactly one variable or parameter called `name` within `scope`, so
/// that every mention means that one.
bool declared_once(const SourceTree& tree, const SyntaxNode& scope, std::string_view name);

/// The declaration or parameter of `name` within `scope`; invalid when there is none.
SyntaxNode declaration_of(const SourceTree& tree, const SyntaxNode& scope, std::string_view name);

/// The function definition of the file called `name` when there is exactly one; else invalid.
SyntaxNode function_of(const SourceTree& tree, std::string_view name);

/// The kernel or function that `node` is in; invalid at file scope.
SyntaxNode function_around(const SyntaxNode& node);

/// The expression without the parentheses around it.
SyntaxNode without_parentheses(SyntaxNode node);

}  // namespace kp::propose
