// SPDX-License-Identifier: Apache-2.0
#include "propose/shared_array.h"

#include <algorithm>

#include "base/text.h"

namespace kp::propose {
namespace {

bool is_static_shared(const SyntaxNode& declaration) {
  bool shared = false;
  for (const SyntaxNode& child : declaration.children()) {
    if (child.text() == "extern") return false;
    shared = shared || child.text() == "__shared__";
  }
  return shared;
}

std::optional<SharedArray> read_array(const SourceTree& tree, const SyntaxNode& kernel,
                                      const SyntaxNode& declaration) {
  SharedArray array;
  array.kernel = kernel;
  array.declaration = declaration;
  SyntaxNode declarator = declaration.field("declarator");
  while (declarator.valid() && declarator.type() == "array_declarator") {
    const SyntaxNode size = declarator.field("size");
    if (!size.valid()) return std::nullopt;
    array.sizes.insert(array.sizes.begin(), size);
    declarator = declarator.field("declarator");
  }
  if (array.sizes.empty() || !declarator.valid()) return std::nullopt;
  array.name = std::string(declarator.text());
  array.last_size = constant_value(tree, array.sizes.back().text());
  return array;
}

}  // namespace

std::optional<std::int64_t> constant_value(const SourceTree& tree, std::string_view text) {
  if (const auto value = parse_integer(text)) return *value;
  std::optional<std::int64_t> found;
  for (const SyntaxNode& definition : tree.all(tree.root(), "preproc_def")) {
    if (definition.field("name").text() != text) continue;
    const auto value = parse_integer(trim(definition.field("value").text()));
    if (found || !value) return std::nullopt;
    found = *value;
  }
  return found;
}

std::vector<SharedArray> shared_arrays(const SourceTree& tree) {
  std::vector<SharedArray> arrays;
  for (const SyntaxNode& kernel : tree.kernels()) {
    for (const SyntaxNode& declaration : tree.all(kernel, "declaration")) {
      if (!is_static_shared(declaration)) continue;
      if (auto array = read_array(tree, kernel, declaration)) arrays.push_back(*std::move(array));
    }
  }
  return arrays;
}

std::optional<std::vector<SyntaxNode>> indexed_uses(const SourceTree& tree,
                                                    const SharedArray& array) {
  std::vector<SyntaxNode> uses;
  for (const SyntaxNode& name : tree.all(array.kernel, "identifier")) {
    if (name.text() != array.name || name.parent().type() == "array_declarator") continue;
    SyntaxNode node = name;
    for (std::size_t depth = 0; depth < array.sizes.size(); ++depth) {
      const SyntaxNode above = node.parent();
      if (above.type() != "subscript_expression" || !(above.children().front() == node)) {
        return std::nullopt;
      }
      node = above;
    }
    if (node.parent().type() == "pointer_expression") return std::nullopt;  // &tile[i][j]
    uses.push_back(node);
  }
  return uses;
}

}  // namespace kp::propose
