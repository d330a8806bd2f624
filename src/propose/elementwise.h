// SPDX-License-Identifier: Apache-2.0
// The shape of an element-wise kernel: each thread computes an index, checks it against a bound,
// and works on that element.
//
//     int i = blockIdx.x * blockDim.x + threadIdx.x;      index
//     if (i < n) { BODY }                                 or: if (i >= n) return; BODY
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

struct Elementwise {
  SyntaxNode kernel;
  LocalVariable index;  // its value is the thread index along x
  SyntaxNode guard;     // the if statement; the kernel ends with it or with the body behind it
  std::string bound;    // text of n
  std::size_t body_begin = 0, body_end = 0;  // source range of the statements of BODY
  std::vector<SyntaxNode> body;              // those statements
};

/// Nothing when the kernel has another shape, or when threads of a block talk to each other.
std::optional<Elementwise> match_elementwise(const SourceTree& tree, const SyntaxNode& kernel);

}  // namespace kp::propose
