// SPDX-License-Identifier: Apache-2.0
#include "propose/local_array.h"

#include <algorithm>

#include "propose/effects.h"

namespace kp::propose {
namespace {

bool is_for_the_thread(const SyntaxNode& declaration) {
  const auto parts = declaration.children();
  return std::none_of(parts.begin(), parts.end(), [](const SyntaxNode& part) {
    const std::string_view text = part.text();
    return text == "__shared__" || text == "extern" || text == "static" || text == "__constant__" ||
           text == "constexpr" || text == "volatile";
  });
}

std::optional<LocalArray> read_array(const SourceTree& tree, const SyntaxNode& kernel,
                                     const SyntaxNode& declaration, const Bindings& tune) {
  LocalArray array;
  SyntaxNode declarator = declaration.field("declarator");
  const auto parts = declaration.children();
  const auto declarators = std::count_if(parts.begin(), parts.end(), [](const SyntaxNode& part) {
    return part.type().ends_with("declarator") || part.type() == "identifier";
  });
  if (declarators != 1 || !is_for_the_thread(declaration)) return std::nullopt;
  if (declarator.type() == "init_declarator") {
    array.initialiser = declarator.field("value");
    declarator = declarator.field("declarator");
  }
  for (; declarator.type() == "array_declarator"; declarator = declarator.field("declarator")) {
    const SyntaxNode size = declarator.field("size");
    const auto extent = size.valid() ? constant_integer(tree, size, tune) : std::nullopt;
    if (!extent || *extent < 1) return std::nullopt;
    array.extents.insert(array.extents.begin(), *extent);
  }
  if (array.extents.empty() || declarator.type() != "identifier") return std::nullopt;
  array.name = declarator.text();
  array.type = declaration.field("type").text();
  array.kernel = kernel;
  array.declaration = declaration;
  return array;
}

/// Every mention but the declaration is subscripted in all dimensions and its address not taken.
bool read_uses(const SourceTree& tree, LocalArray& array) {
  if (!declared_once(tree, array.kernel, array.name)) return false;
  for (const SyntaxNode& name : mentions_of(tree, array.kernel.field("body"), array.name)) {
    if (name.parent().type() == "array_declarator") continue;
    SyntaxNode node = name;
    for (std::size_t depth = 0; depth < array.extents.size(); ++depth) {
      const SyntaxNode above = node.parent();
      if (above.type() != "subscript_expression" || !(above.field("argument") == node))
        return false;
      node = above;
    }
    if (node.parent().type() == "pointer_expression") return false;
    array.uses.push_back(node);
  }
  return !array.uses.empty();
}

/// Names that are constants once some loops are unrolled: their indices and what is computed from
/// them.
class Known {
 public:
  Known(const SourceTree& tree, const SyntaxNode& kernel, const Bindings& tune)
      : tree_(tree), kernel_(kernel), tune_(tune) {}

  /// The loops around `use` that must be unrolled for `subscript` to be known; nothing when it
  /// stays unknown.
  std::optional<std::vector<CountedLoop>> loops_for(const SyntaxNode& subscript,
                                                    std::int64_t most_turns, int depth = 0) const {
    std::vector<CountedLoop> loops;
    if (constant_integer(tree_, subscript, tune_)) return loops;
    if (depth > 4 || !is_pure(tree_, subscript)) return std::nullopt;
    for (const std::string_view kind :
         {"subscript_expression", "call_expression", "field_expression", "pointer_expression"}) {
      if (subscript.type() == kind || !tree_.all(subscript, kind).empty()) return std::nullopt;
    }
    auto names = tree_.all(subscript, "identifier");
    if (subscript.type() == "identifier") names.push_back(subscript);
    for (const SyntaxNode& name : names) {
      if (constant_integer(tree_, name, tune_)) continue;
      auto more = loops_of_name(name, most_turns, depth);
      if (!more) return std::nullopt;
      loops.insert(loops.end(), more->begin(), more->end());
    }
    return loops;
  }

 private:
  std::optional<std::vector<CountedLoop>> loops_of_name(const SyntaxNode& name,
                                                        std::int64_t most_turns, int depth) const {
    for (SyntaxNode node = name; node.valid() && !(node == kernel_); node = node.parent()) {
      if (node.type() == "for_statement") {
        auto loop = match_counted_loop(tree_, node);
        if (!loop || loop->index != name.text()) continue;
        const auto turns = trip_count(tree_, *loop, tune_);
        if (!turns || *turns > most_turns) return std::nullopt;
        return std::vector{*std::move(loop)};
      }
      if (node.type() != "compound_statement") continue;
      for (const LocalVariable& local : initialised_locals(tree_, node)) {
        if (local.name != name.text() || !(local.declaration.parent() == node)) continue;
        if (may_change(tree_, node, name.text())) return std::nullopt;
        return loops_for(local.value, most_turns, depth + 1);
      }
    }
    return std::nullopt;
  }

  const SourceTree& tree_;
  SyntaxNode kernel_;
  const Bindings& tune_;
};

void find_loops(const SourceTree& tree, const Bindings& tune, std::int64_t most_turns,
                LocalArray& array) {
  const Known known(tree, array.kernel, tune);
  for (const SyntaxNode& use : array.uses) {
    bool unknown = false;
    for (const SyntaxNode& subscript : subscripts_of(use)) {
      const auto loops = known.loops_for(subscript, most_turns);
      unknown = unknown || !loops;
      if (!loops) continue;
      for (const CountedLoop& loop : *loops) {
        const bool there = std::any_of(array.loops.begin(), array.loops.end(), [&](const auto& l) {
          return l.statement == loop.statement;
        });
        if (!there) array.loops.push_back(loop);
      }
    }
    if (unknown) array.unknown.push_back(use);
  }
}

}  // namespace

std::vector<SyntaxNode> subscripts_of(const SyntaxNode& use) {
  std::vector<SyntaxNode> subscripts;
  for (SyntaxNode node = use; node.type() == "subscript_expression";
       node = node.field("argument")) {
    const auto indices = node.field("indices").children();
    if (indices.size() == 1) subscripts.insert(subscripts.begin(), indices.front());
  }
  return subscripts;
}

std::vector<LocalArray> local_arrays(const SourceTree& tree, const SyntaxNode& kernel,
                                     const Bindings& tune, std::int64_t most_turns) {
  std::vector<LocalArray> arrays;
  if (!tree.all(kernel, "ERROR").empty()) return arrays;
  for (const SyntaxNode& declaration : tree.all(kernel.field("body"), "declaration")) {
    auto array = read_array(tree, kernel, declaration, tune);
    if (!array || !read_uses(tree, *array)) continue;
    find_loops(tree, tune, most_turns, *array);
    arrays.push_back(*std::move(array));
  }
  return arrays;
}

}  // namespace kp::propose
