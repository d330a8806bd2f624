// SPDX-License-Identifier: Apache-2.0
// Statements of a kernel as recognisers meet them: in a block or alone, where they lie, and those
// of a fixed form. For all that walk the body of a kernel.
#pragma once
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

/// The statements of a block without comments; of any other statement, that statement alone.
std::vector<SyntaxNode> statements_of(const SyntaxNode& statement);

/// True when `inner` stands within `outer`, or is it.
bool lies_in(const SyntaxNode& inner, const SyntaxNode& outer);

/// Characters in front of the node on its line.
std::size_t column_of(const SourceTree& tree, const SyntaxNode& node);
/// Blanks in front of the line that the node starts on.
std::size_t indentation(const SourceTree& tree, const SyntaxNode& node);

/// True for `return;`, in braces or not.
bool is_return(const SyntaxNode& statement);
/// True for `__syncthreads();`
bool is_block_barrier(const SyntaxNode& statement);

}  // namespace kp::propose
