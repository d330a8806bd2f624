// SPDX-License-Identifier: Apache-2.0
#include "propose/locals.h"

#include <algorithm>

#include "base/text.h"
#include "propose/effects.h"

namespace kp::propose {
namespace {

/// The identifier that a plain or pointer declarator declares; invalid for every other.
SyntaxNode declared_name(SyntaxNode declarator) {
  while (declarator.valid() && declarator.type() == "pointer_declarator") {
    declarator = declarator.field("declarator");
  }
  return declarator.valid() && declarator.type() == "identifier" ? declarator : SyntaxNode{};
}

bool lives_elsewhere(std::string_view type) {
  return type.find("__shared__") != std::string_view::npos ||
         type.find("static") != std::string_view::npos ||
         type.find("extern") != std::string_view::npos ||
         type.find("volatile") != std::string_view::npos;
}

}  // namespace

bool Locals::read(const SyntaxNode& declaration) {
  std::string_view type;
  for (const SyntaxNode& part : declaration.children()) {
    const bool init = part.type() == "init_declarator";
    if (!init && (part.type().ends_with("declarator") || part.type() == "identifier")) return false;
    if (!init) continue;
    if (type.empty()) {
      type = trim(std::string_view(tree_->source())
                      .substr(declaration.begin(), part.begin() - declaration.begin()));
    }
    const SyntaxNode name = declared_name(part.field("declarator")), value = part.field("value");
    if (!name.valid() || lives_elsewhere(type) || value.type() == "initializer_list" ||
        !is_pure(*tree_, value)) {
      return false;
    }
    const std::string text(part.text());
    const std::string space = text.starts_with('*') ? "" : " ";
    all_.push_back({std::string(name.text()), std::string(type),
                    std::string(type) + space + text + ";", value});
  }
  return !type.empty();
}

const Local* Locals::find(std::string_view name) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [name](const Local& local) { return local.name == name; });
  return found == all_.end() ? nullptr : &*found;
}

bool Locals::depends(const SyntaxNode& node, std::string_view name) const {
  std::vector<SyntaxNode> roots{node};
  const auto named = [&](std::string_view wanted) {
    return std::any_of(roots.begin(), roots.end(),
                       [&](const SyntaxNode& root) { return mentions(*tree_, root, wanted); });
  };
  for (auto local = all_.rbegin(); local != all_.rend(); ++local) {
    if (local->name != name && named(local->name)) roots.push_back(local->value);
  }
  return named(name);
}

std::string Locals::needed_by(const std::vector<SyntaxNode>& nodes,
                              const std::vector<std::string>& given) const {
  std::vector<SyntaxNode> roots = nodes;
  std::vector<std::string> lines;
  for (auto local = all_.rbegin(); local != all_.rend(); ++local) {
    const bool known = std::find(given.begin(), given.end(), local->name) != given.end();
    const bool needed = std::any_of(roots.begin(), roots.end(), [&](const SyntaxNode& root) {
      return mentions(*tree_, root, local->name);
    });
    if (known || !needed) continue;
    roots.push_back(local->value);
    lines.insert(lines.begin(), local->text);
  }
  return join(lines, "\n");
}

}  // namespace kp::propose
