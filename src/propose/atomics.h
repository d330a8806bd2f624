// SPDX-License-Identifier: Apache-2.0
// Atomic operations of a kernel whose old value nobody wants.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/reduction.h"

namespace kp::propose {

struct AtomicUpdate {
  SyntaxNode statement;  // the expression statement
  SyntaxNode address;    // first argument
  SyntaxNode value;      // second argument
  SyntaxNode place;      // the mention of the pointer in the address
  std::string function;  // "atomicAdd"
  std::string pointer;   // name of a pointer parameter
  Combine combine = Combine::kAdd;
};

/// Those at `&p[..]`, `p` or `p + ..`, p a pointer parameter.
std::vector<AtomicUpdate> atomic_updates(const SourceTree& tree, const SyntaxNode& kernel);

/// The updates through `pointer`, when the kernel uses it for nothing else; else empty.
std::vector<AtomicUpdate> only_updates_of(const SourceTree& tree, const SyntaxNode& kernel,
                                          const std::string& pointer);

/// Fences, volatile memory or grid-wide barriers: others may wait for what the kernel writes.
bool signals_other_blocks(const SyntaxNode& kernel);

}  // namespace kp::propose
