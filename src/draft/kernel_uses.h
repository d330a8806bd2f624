// SPDX-License-Identifier: Apache-2.0
// How a kernel uses its pointer parameters: reads, writes, and how far they are indexed. Used by
// draft only.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/source_tree.h"
#include "draft/host_program.h"

namespace kp::draft {

struct PointerUse {
  bool read = false, written = false;
  bool unclear = false;                // passed on or aliased in a way that is not followed
  std::optional<Polynomial> elements;  // one above the largest index, where bounds tell it
  std::string indexes;                 // the parameter whose subscripts its values are; or empty
};

/// By name of the parameter. Extents are in terms of the kernel's parameters, and of
/// "gridDim.x" ... "blockDim.z".
std::map<std::string, PointerUse> pointer_uses(const SourceTree& tree, const SyntaxNode& kernel,
                                               const std::vector<std::string>& pointers);

}  // namespace kp::draft
