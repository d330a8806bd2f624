// SPDX-License-Identifier: Apache-2.0
// Static shared arrays of kernels and how they are used.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

struct SharedArray {
  std::string name;
  SyntaxNode kernel, declaration;
  std::vector<SyntaxNode> sizes;          // of each dimension, outermost first
  std::optional<std::int64_t> last_size;  // of the last dimension, through one #define
};

/// Static (not extern) `__shared__` arrays of all kernels, in order.
std::vector<SharedArray> shared_arrays(const SourceTree& tree);

/// The fully subscripted uses of the array, or nothing when it is used in any other way (its
/// address taken, passed on, cast): its layout may matter then.
std::optional<std::vector<SyntaxNode>> indexed_uses(const SourceTree& tree,
                                                    const SharedArray& array);

/// An integer literal, or a name that one #define gives a literal.
std::optional<std::int64_t> constant_value(const SourceTree& tree, std::string_view text);

}  // namespace kp::propose
