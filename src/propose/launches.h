// SPDX-License-Identifier: Apache-2.0
// What rewrites that change the shape of a launch ask of the plan, and the integer expressions they
// build for it.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

/// `a op b`, `ceil_div(a, b)` and so on, with brackets where the text needs them.
Expr joined(const Expr& a, Expr::Op op, const Expr& b);
Expr named(const std::string& name);
/// a and b of ceil_div(a, b); nothing when the expression has another form.
std::optional<std::pair<Expr, Expr>> operands_of_ceil_div(const Expr& expr);

/// The finding names no kernel, or this one, or one that names this function.
bool concerns(const Subject& subject, const SyntaxNode& function);

/// Threads run along x only.
bool is_flat(const Launch& launch);
/// Flat blocks of a multiple of 32 threads, whatever the tune choice.
bool has_whole_warps(const Plan& plan, const Launch& launch);
/// How many threads along x are asked for: E of a grid of ceil_div(E, block), else grid * block.
Expr threads_along_x(const Launch& launch);

/// The argument that the launch passes for a parameter of the kernel; null when there is none.
const Argument* argument_for(const SourceTree& tree, const SyntaxNode& kernel, const Launch& launch,
                             std::string_view parameter);
/// The launch passes the parameter's tensor or buffer for no other parameter.
bool is_passed_once(const SourceTree& tree, const SyntaxNode& kernel, const Launch& launch,
                    std::string_view parameter);

/// `wanted`, with a number behind it when the source, the plan or the task has that name.
std::string unused_name(const Subject& subject, const std::string& wanted);

/// Adds `tune NAME in values` and gives its name.
std::string add_tune(const Subject& subject, Plan& plan, const std::string& wanted,
                     std::vector<std::int64_t> values);

}  // namespace kp::propose
