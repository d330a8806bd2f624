// SPDX-License-Identifier: Apache-2.0
// What a function does to the memory behind its pointer parameters, through local copies of the
// pointer and through the functions of the file that it is passed to.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

/// `T* name` or `const T* name`, any T.
struct Pointer {
  std::string name;
  SyntaxNode declaration;  // parameter or local declaration
  SyntaxNode declarator;   // from the star to the name
  bool constant = false;   // pointer to const
  bool restricted = false;
};

/// The pointer that a parameter or declaration with one declarator declares; nothing for pointers
/// to pointers, to arrays and to volatile.
std::optional<Pointer> read_pointer(const SourceTree& tree, const SyntaxNode& declaration);

/// The declarations that must become pointers to const for `name` of `function` to be one: its
/// own, those of its copies, and parameters of functions that it is passed to; declarations that
/// are const already are left out. Nothing when memory behind it may be written, or when it goes
/// somewhere that is not understood.
std::optional<std::vector<Pointer>> pointers_if_only_read(const SourceTree& tree,
                                                          const SyntaxNode& function,
                                                          const std::string& name);

}  // namespace kp::propose
