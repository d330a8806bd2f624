// SPDX-License-Identifier: Apache-2.0
// Questions about expressions of host and device code. Used by draft only.
#pragma once
#include <string>

#include "build/source_tree.h"

namespace kp::draft {

using build::operator_of;
using build::SourceTree;
using build::SyntaxNode;

/// The variable behind `&p`, `(void**)&p`, `p.data`, `thrust::raw_pointer_cast(p.data())`; empty
/// when there is none.
std::string pointer_name(const SyntaxNode& expression);

/// The first and the last named child; invalid when there is none, as in text with mistakes.
SyntaxNode first_of(const SyntaxNode& node);
SyntaxNode last_of(const SyntaxNode& node);

}  // namespace kp::draft
