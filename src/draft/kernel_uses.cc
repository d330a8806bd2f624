// SPDX-License-Identifier: Apache-2.0
#include "draft/kernel_uses.h"

#include <algorithm>
#include <set>

namespace kp::draft {
namespace {

constexpr int kDeepestLocal = 24;  // locals that are computed from locals

/// What bounds the integers of a kernel: values of locals, guards and loop conditions.
class Bounds {
 public:
  Bounds(const SourceTree& tree, const SyntaxNode& kernel) : tree_(tree), host_(tree) {
    for (const SyntaxNode& local : tree.all(kernel, "init_declarator")) {
      const auto names = tree.all(local, "identifier");
      if (!names.empty())
        values_.try_emplace(std::string(names.front().text()), local.field("value"));
    }
    for (const SyntaxNode& condition : tree.all(kernel, "binary_expression")) note(condition);
  }

  /// The largest value of an index expression; absent when something in it has no known bound.
  std::optional<Polynomial> largest(const SyntaxNode& expression, int depth = 0) const {
    if (depth > kDeepestLocal) return {};
    const std::string_view type = expression.type();
    if (type == "parenthesized_expression") return largest(first_of(expression), depth + 1);
    if (type == "cast_expression") return largest(expression.field("value"), depth + 1);
    if (type == "field_expression") return of_builtin(std::string(expression.text()));
    if (type == "identifier") return of_name(std::string(expression.text()), depth);
    if (type == "binary_expression") return of_binary(expression, depth);
    return host_.size_of(expression);
  }

 private:
  /// v < bound, v >= bound (the thread returns), bound > v, and the like.
  void note(const SyntaxNode& condition) {
    std::string_view sign = operator_of(condition);
    SyntaxNode left = condition.field("left"), right = condition.field("right");
    if (sign == ">" || sign == "<=") {
      std::swap(left, right);
      sign = sign == ">" ? "<" : ">=";
    }
    const bool below = sign == "<" || sign == ">=";
    if (below && left.type() == "identifier") bounds_.try_emplace(std::string(left.text()), right);
  }

  std::optional<Polynomial> of_name(const std::string& name, int depth) const {
    // While a local is looked up it has no bound: i = i + 1.
    const auto [known, fresh] = largest_.try_emplace(name, std::nullopt);
    if (fresh) {
      auto found = look_up(name, depth);
      largest_.insert_or_assign(name, std::move(found));
    }
    return largest_.at(name);
  }

  std::optional<Polynomial> look_up(const std::string& name, int depth) const {
    if (const auto bound = bounds_.find(name); bound != bounds_.end()) {
      if (const auto limit = exact(bound->second, depth)) return *limit - 1;
    }
    if (const auto value = values_.find(name); value != values_.end())
      return largest(value->second, depth + 1);
    return Polynomial::name(name);  // a parameter: its own value
  }

  /// The value of a bound: parameters and constants; locals by their initialisers.
  std::optional<Polynomial> exact(const SyntaxNode& expression, int depth) const {
    if (depth > kDeepestLocal) return {};
    auto size = host_.size_of(expression);
    if (!size) return {};
    for (const std::string& name : size->names()) {
      const auto local = values_.find(name);
      if (local == values_.end()) continue;
      const auto value = exact(local->second, depth + 1);
      if (!value) return {};
      size = size->with(name, *value);
    }
    return size;
  }

  static std::optional<Polynomial> of_builtin(const std::string& text) {
    if (text.starts_with("threadIdx.")) return Polynomial::name("blockDim." + text.substr(10)) - 1;
    if (text.starts_with("blockIdx.")) return Polynomial::name("gridDim." + text.substr(9)) - 1;
    if (text.starts_with("blockDim.") || text.starts_with("gridDim."))
      return Polynomial::name(text);
    return {};
  }

  std::optional<Polynomial> of_binary(const SyntaxNode& node, int depth) const {
    const auto left = largest(node.field("left"), depth + 1);
    const auto right = largest(node.field("right"), depth + 1);
    const std::string_view sign = operator_of(node);
    if (sign == "%" && right) return *right - 1;
    if (!left || !right) return {};
    if (sign == "+") return *left + *right;
    if (sign == "*") return *left * *right;
    if (sign == "-" && right->constant()) return *left - *right;
    return {};
  }

  const SourceTree& tree_;
  HostProgram host_;
  std::map<std::string, SyntaxNode, std::less<>> values_, bounds_;
  mutable std::map<std::string, std::optional<Polynomial>> largest_;  // of names, once looked up
};

class Uses {
 public:
  Uses(const SourceTree& tree, const SyntaxNode& kernel, const std::vector<std::string>& pointers)
      : tree_(tree), kernel_(kernel), bounds_(tree, kernel) {
    for (const std::string& pointer : pointers) uses_[pointer];
  }

  std::map<std::string, PointerUse> run() {
    find_aliases();
    for (const SyntaxNode& name : tree_.all(kernel_.field("body"), "identifier")) {
      const auto alias = aliases_.find(name.text());
      const std::string pointer =
          alias != aliases_.end() ? alias->second.pointer : std::string(name.text());
      const auto use = uses_.find(pointer);
      if (use != uses_.end())
        note(name, use->second, alias != aliases_.end() ? &alias->second : nullptr);
    }
    return std::move(uses_);
  }

 private:
  struct Alias {
    std::string pointer;
    SyntaxNode offset;  // invalid: none
  };

  /// `const float* row = x + r * cols;`
  void find_aliases() {
    for (const SyntaxNode& local : tree_.all(kernel_, "init_declarator")) {
      if (local.field("declarator").type() != "pointer_declarator") continue;
      const auto names = tree_.all(local.field("declarator"), "identifier");
      const SyntaxNode value = local.field("value");
      if (names.empty()) continue;
      if (value.type() == "identifier") add_alias(names.back(), value, {});
      if (value.type() == "binary_expression" && operator_of(value) == "+")
        add_alias(names.back(), value.field("left"), value.field("right"));
    }
  }

  void add_alias(const SyntaxNode& name, const SyntaxNode& pointer, const SyntaxNode& offset) {
    if (uses_.count(std::string(pointer.text())) > 0)
      aliases_.try_emplace(std::string(name.text()), Alias{std::string(pointer.text()), offset});
  }

  void note(const SyntaxNode& name, PointerUse& use, const Alias* alias) {
    const SyntaxNode above = name.parent();
    if (above.type() == "subscript_expression" && first_of(above) == name)
      return note_element(above, use, alias);
    if (above.type() == "pointer_expression" && above.text().starts_with('*'))
      return note_access(above, use);
    const bool defines =
        above.type() == "pointer_declarator" || above.type() == "init_declarator" ||
        (above.type() == "binary_expression" && above.parent().type() == "init_declarator");
    if (defines) return;
    // Passed on: `atomicAdd(p + i, v)`, `load(p, i)`, `reinterpret_cast<float4*>(p)[i]`.
    use.read = use.written = use.unclear = true;
  }

  void note_element(const SyntaxNode& element, PointerUse& use, const Alias* alias) {
    note_access(element, use);
    const SyntaxNode index = first_of(last_of(element));
    auto last = bounds_.largest(index);
    if (last && alias != nullptr && alias->offset.valid()) {
      const auto offset = bounds_.largest(alias->offset);
      last = offset ? std::optional<Polynomial>(*last + *offset) : std::nullopt;
    }
    if (last && !use.elements) use.elements = *last + 1;
    for (const SyntaxNode& inner : tree_.all(index.parent(), "subscript_expression")) {
      const auto inside = uses_.find(std::string(first_of(inner).text()));
      if (inside != uses_.end()) inside->second.indexes = first_of(element).text();
    }
  }

  void note_access(const SyntaxNode& place, PointerUse& use) {
    const SyntaxNode above = place.parent();
    if (above.type() == "assignment_expression" && above.field("left") == place) {
      use.written = true;
      use.read |= operator_of(above) != "=";
    } else if (above.type() == "update_expression" || above.type() == "pointer_expression") {
      use.read = use.written = true;  // x[i]++, &x[i]
    } else {
      use.read = true;
    }
  }

  const SourceTree& tree_;
  const SyntaxNode kernel_;
  Bounds bounds_;
  std::map<std::string, PointerUse> uses_;
  std::map<std::string, Alias, std::less<>> aliases_;
};

}  // namespace

std::map<std::string, PointerUse> pointer_uses(const SourceTree& tree, const SyntaxNode& kernel,
                                               const std::vector<std::string>& pointers) {
  return Uses(tree, kernel, pointers).run();
}

}  // namespace kp::draft
