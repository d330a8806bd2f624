// SPDX-License-Identifier: Apache-2.0
// Local pointers into the array that a pointer parameter stands for.
//
//     float* row = out + (size_t)r * cols;
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

/// The parameter and the local pointers that are computed from it.
struct Aliases {
  std::vector<std::string> names;
  std::vector<SyntaxNode> declarations;  // of the local ones

  bool declares(const SyntaxNode& mention) const;
};

/// What is known of one pointer parameter, whatever its type.
struct Passed {
  std::string name;
  bool constant = false;  // pointer to const
};
/// The pointer parameters; nothing when one of them is not understood (a pointer to pointers, to
/// volatile, a reference).
std::optional<std::vector<Passed>> passed_pointers(const SourceTree& tree,
                                                   const SyntaxNode& function);

/// Nothing when one of the pointers moves after its declaration.
std::optional<Aliases> aliases_of(const SourceTree& tree, const SyntaxNode& function,
                                  const std::string& parameter);

}  // namespace kp::propose
