// SPDX-License-Identifier: Apache-2.0
#include "propose/index_form.h"

#include <algorithm>

#include "base/text.h"
#include "propose/effects.h"
#include "propose/reduction.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr int kDeepestForm = 32;

std::string bracketed(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  });
  return plain ? text : "(" + text + ")";
}

/// sum + a * b modulo 2^64: source text must not make this program overflow.
std::int64_t wrapped(std::int64_t sum, std::int64_t a, std::int64_t b) {
  const auto product = static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + product);
}

bool is_cast(const SyntaxNode& call) {
  const SyntaxNode callee = call.field("function");
  return callee.type() == "primitive_type" ||
         (callee.type() == "template_function" && callee.text().starts_with("static_cast<"));
}

class Reader {
 public:
  Reader(const Locals& locals, const std::vector<std::string>& indices)
      : locals_(locals), indices_(indices) {}

  std::optional<IndexForm> form(const SyntaxNode& expression, int depth) const {
    const SyntaxNode node = without_parentheses(expression);
    if (depth > kDeepestForm) return std::nullopt;
    if (node.type() == "number_literal") {
      if (const auto value = parse_integer(node.text())) return IndexForm::constant(*value);
    }
    if (node.type() == "identifier") return of_name(node, depth);
    if (node.type() == "cast_expression") return form(node.field("value"), depth + 1);
    if (node.type() == "call_expression" && is_cast(node)) {
      return form(node.field("arguments").children().front(), depth + 1);
    }
    if (node.type() == "binary_expression") {
      if (auto sum = of_operator(node, depth)) return sum;
    }
    return opaque(node);
  }

  /// A pointer expression: where it starts and how far it has moved.
  std::optional<ArrayElement> pointer(const SyntaxNode& expression, int depth) const {
    const SyntaxNode node = without_parentheses(expression);
    if (depth > kDeepestForm) return std::nullopt;
    if (node.type() == "identifier") {
      const Local* local = locals_.find(node.text());
      if (local) return pointer(local->value, depth + 1);
      return ArrayElement{std::string(node.text()), IndexForm::constant(0)};
    }
    if (node.type() == "pointer_expression" && operator_of(node) == "&") {
      return element(node.field("argument"), depth + 1);
    }
    if (node.type() != "binary_expression") return std::nullopt;
    const std::string_view sign = operator_of(node);
    if (sign != "+" && sign != "-") return std::nullopt;
    auto moved = pointer(node.field("left"), depth + 1);
    const auto by = form(node.field("right"), depth + 1);
    if (!moved || !by) return std::nullopt;
    moved->index = moved->index.plus(*by, sign == "+" ? 1 : -1);
    return moved;
  }

  std::optional<ArrayElement> element(const SyntaxNode& access, int depth) const {
    if (access.type() == "pointer_expression" && operator_of(access) == "*") {
      return pointer(access.field("argument"), depth + 1);
    }
    if (access.type() != "subscript_expression") return std::nullopt;
    const auto list = access.children().back().children();
    auto moved = pointer(access.children().front(), depth + 1);
    const auto by = list.size() == 1 ? form(list.front(), depth + 1) : std::nullopt;
    if (!moved || !by) return std::nullopt;
    moved->index = moved->index.plus(*by, 1);
    return moved;
  }

 private:
  bool is_index(std::string_view name) const {
    return std::find(indices_.begin(), indices_.end(), name) != indices_.end();
  }

  std::optional<IndexForm> of_name(const SyntaxNode& node, int depth) const {
    const Local* local = locals_.find(node.text());
    if (!local || is_index(node.text())) return IndexForm::name(std::string(node.text()));
    return form(local->value, depth + 1);
  }

  std::optional<IndexForm> of_operator(const SyntaxNode& node, int depth) const {
    const std::string_view sign = operator_of(node);
    if (sign != "+" && sign != "-" && sign != "*") return std::nullopt;
    const auto left = form(node.field("left"), depth + 1),
               right = form(node.field("right"), depth + 1);
    if (!left || !right || left->size() * right->size() > kMostTerms) return std::nullopt;
    return sign == "*" ? left->times(*right) : left->plus(*right, sign == "+" ? 1 : -1);
  }

  std::optional<IndexForm> opaque(const SyntaxNode& node) const {
    const bool moves = std::any_of(indices_.begin(), indices_.end(), [&](const std::string& index) {
      return locals_.depends(node, index);
    });
    return moves ? std::nullopt : std::optional(IndexForm::name(std::string(node.text())));
  }

  const Locals& locals_;
  const std::vector<std::string>& indices_;
};

}  // namespace

IndexForm IndexForm::constant(std::int64_t value) {
  IndexForm form;
  if (value != 0) form.terms_[{}] = value;
  return form;
}

IndexForm IndexForm::name(std::string text) {
  IndexForm form;
  form.terms_[{std::move(text)}] = 1;
  return form;
}

IndexForm IndexForm::plus(const IndexForm& other, std::int64_t times) const {
  IndexForm sum = *this;
  for (const auto& [product, coefficient] : other.terms_) {
    std::int64_t& term = sum.terms_[product];
    if ((term = wrapped(term, times, coefficient)) == 0) sum.terms_.erase(product);
  }
  return sum;
}

IndexForm IndexForm::times(const IndexForm& other) const {
  IndexForm result;
  for (const auto& [product, coefficient] : terms_) {
    for (const auto& [factor, times] : other.terms_) {
      Product both = product;
      both.insert(both.end(), factor.begin(), factor.end());
      std::sort(both.begin(), both.end());
      std::int64_t& sum = result.terms_[both];
      if ((sum = wrapped(sum, coefficient, times)) == 0) result.terms_.erase(both);
    }
  }
  return result;
}

std::optional<IndexForm> IndexForm::step(const std::string& name) const {
  IndexForm form;
  for (const auto& [product, coefficient] : terms_) {
    const auto count = std::count(product.begin(), product.end(), name);
    if (count > 1) return std::nullopt;
    if (count == 0) continue;
    Product rest = product;
    rest.erase(std::find(rest.begin(), rest.end(), name));
    form.terms_[rest] += coefficient;
  }
  return form;
}

IndexForm IndexForm::without(const std::string& name) const {
  IndexForm form = *this;
  std::erase_if(form.terms_, [&](const auto& term) {
    return std::find(term.first.begin(), term.first.end(), name) != term.first.end();
  });
  return form;
}

bool IndexForm::has(const std::string& name) const { return !(without(name) == *this); }

std::set<std::string> IndexForm::names() const {
  std::set<std::string> names;
  for (const auto& term : terms_) names.insert(term.first.begin(), term.first.end());
  return names;
}

std::optional<std::int64_t> IndexForm::value() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

std::string IndexForm::text() const {
  std::string text;
  for (const auto& [product, coefficient] : terms_) {
    std::vector<std::string> factors;
    if (coefficient != 1 || product.empty()) factors.push_back(std::to_string(coefficient));
    for (const std::string& factor : product) factors.push_back(bracketed(factor));
    text += (text.empty() ? "" : " + ") + join(factors, " * ");
  }
  return text.empty() ? "0" : text;
}

std::optional<IndexForm> form_of(const SyntaxNode& expression, const Locals& locals,
                                 const std::vector<std::string>& indices) {
  return Reader(locals, indices).form(expression, 0);
}

std::optional<ArrayElement> element_of(const SyntaxNode& access, const Locals& locals,
                                       const std::vector<std::string>& indices) {
  return Reader(locals, indices).element(access, 0);
}

}  // namespace kp::propose
