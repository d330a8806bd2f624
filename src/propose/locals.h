// SPDX-License-Identifier: Apache-2.0
// Variables of a kernel that get their value where they are declared and keep it. A rewrite that
// moves an expression to another place declares them there again.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "propose/syntax.h"

namespace kp::propose {

struct Local {
  std::string name;
  std::string type;  // what stands before the declarator: "const float", "int"
  std::string text;  // the declaration of this variable alone
  SyntaxNode value;
};

class Locals {
 public:
  explicit Locals(const SourceTree& tree) : tree_(&tree) {}

  /// Adds what `declaration` declares, one variable or several; false when one of them has no
  /// value, is an array or a reference, is static or shared, or its value has side effects.
  bool read(const SyntaxNode& declaration);

  const std::vector<Local>& all() const { return all_; }
  const Local* find(std::string_view name) const;
  /// `node` names the variable, or a local whose value depends on it.
  bool depends(const SyntaxNode& node, std::string_view name) const;
  /// The declarations that `nodes` need, in order, one a line; those of `given` left out.
  std::string needed_by(const std::vector<SyntaxNode>& nodes,
                        const std::vector<std::string>& given) const;

 private:
  const SourceTree* tree_;
  std::vector<Local> all_;
};

}  // namespace kp::propose
