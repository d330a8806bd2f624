// SPDX-License-Identifier: Apache-2.0
#include "propose/aliases.h"

#include <algorithm>

#include "propose/pointees.h"

namespace kp::propose {
namespace {

/// The pointer itself changes, not what it points to.
bool is_moved(const SourceTree& tree, const SyntaxNode& body, std::string_view name) {
  for (const auto& [kind, field] :
       {std::pair("assignment_expression", "left"), std::pair("update_expression", "argument"),
        std::pair("pointer_expression", "argument")}) {
    for (const SyntaxNode& change : tree.all(body, kind)) {
      if (change.field(field).text() == name) return true;
    }
  }
  return false;
}

}  // namespace

bool Aliases::declares(const SyntaxNode& mention) const {
  return std::any_of(declarations.begin(), declarations.end(), [&](const SyntaxNode& declaration) {
    return mention.begin() >= declaration.begin() && mention.end() <= declaration.end();
  });
}

std::optional<std::vector<Passed>> passed_pointers(const SourceTree& tree,
                                                   const SyntaxNode& function) {
  std::vector<Passed> passed;
  for (const SyntaxNode& one : function.field("declarator").field("parameters").children()) {
    if (one.type() == "comment") continue;
    if (auto pointer = read_pointer(tree, one)) {
      passed.push_back({std::move(pointer->name), pointer->constant});
    } else if (one.text().find_first_of("*&[") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  return passed;
}

std::optional<Aliases> aliases_of(const SourceTree& tree, const SyntaxNode& function,
                                  const std::string& parameter) {
  Aliases aliases{{parameter}, {}};
  const SyntaxNode body = function.field("body");
  for (const SyntaxNode& declaration : tree.all(body, "declaration")) {
    const auto pointer = read_pointer(tree, declaration);
    const SyntaxNode declarator = declaration.field("declarator");
    if (!pointer || declarator.type() != "init_declarator") continue;
    const SyntaxNode value = declarator.field("value");
    const auto& names = aliases.names;
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return mentions(tree, value, name); })) {
      continue;
    }
    aliases.names.push_back(pointer->name);
    aliases.declarations.push_back(declaration);
  }
  for (const std::string& name : aliases.names) {
    if (is_moved(tree, body, name)) return std::nullopt;
  }
  return aliases;
}

}  // namespace kp::propose
