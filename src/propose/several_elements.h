// SPDX-License-Identifier: Apache-2.0
// Several elements for each thread of a kernel that gives an element, or a column, to each: a warp
// takes stretches of 32 that lie side by side, and loads from all of them before the first is used.
//
//     int i = thread;              becomes    int i = thread / 32 * 128 + thread % 32;
//     if (i < n) y[i] = f(x[i]);              of i, i + 32, i + 64, i + 96 each that is below n
#pragma once
#include <optional>

#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

/// `kernel` with `count` elements a thread, on as many blocks fewer. Nothing when it has another
/// shape, talks within its block, knows which thread it is but by its element, loads what it
/// stores, or is not launched with ceil_div(.., block) blocks of whole warps.
std::optional<Rewritten> several_elements(const Subject& subject, const SyntaxNode& kernel,
                                          int count);

}  // namespace kp::propose
