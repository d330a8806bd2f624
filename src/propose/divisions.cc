// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/index_arithmetic.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/reduction.h"

namespace kp::propose {
namespace {

constexpr int kMostDepth = 16;

bool is_signed_integer(std::string_view type) {
  return type == "int" || type == "long long" || type == "long" || type == "int32_t" ||
         type == "int64_t";
}

/// Signed integers that cannot be negative, as far as their declarations tell.
class NonNegative {
 public:
  NonNegative(const Subject& subject, const SyntaxNode& kernel)
      : subject_(subject), tree_(subject.tree), kernel_(kernel) {}

  bool value(const SyntaxNode& expression, int depth = 0) const {
    const SyntaxNode node = without_parentheses(expression);
    if (depth > kMostDepth) return false;
    if (const auto known = constant_integer(tree_, node, {})) return *known >= 0;
    if (node.type() == "field_expression") {
      const std::string_view of = node.field("argument").text();
      return of == "threadIdx" || of == "blockIdx" || of == "blockDim" || of == "gridDim";
    }
    if (node.type() == "identifier") return variable(node, depth);
    if (node.type() != "binary_expression") return false;
    const std::string_view sign = operator_of(node);
    if (sign == "&") {
      return value(node.field("left"), depth + 1) || value(node.field("right"), depth + 1);
    }
    if (sign == "%") return value(node.field("left"), depth + 1);
    return (sign == "+" || sign == "*" || sign == "/" || sign == ">>") &&
           value(node.field("left"), depth + 1) && value(node.field("right"), depth + 1);
  }

  /// Some variable in it is signed: unsigned divisions are shifts already.
  bool is_signed(const SyntaxNode& expression) const {
    auto names = tree_.all(expression, "identifier");
    if (expression.type() == "identifier") names.push_back(expression);
    return std::any_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
      const SyntaxNode declaration = declaration_of(tree_, kernel_, name.text());
      return declaration.valid() && is_signed_integer(declaration.field("type").text());
    });
  }

 private:
  bool variable(const SyntaxNode& name, int depth) const {
    if (!declared_once(tree_, kernel_, name.text())) return false;
    const SyntaxNode declaration = declaration_of(tree_, kernel_, name.text());
    if (!is_signed_integer(declaration.field("type").text())) return false;
    if (declaration.type() == "parameter_declaration") {
      return !may_change(tree_, kernel_.field("body"), name.text()) && parameter(name.text());
    }
    const SyntaxNode above = declaration.parent();
    if (above.type() == "for_statement") {
      const auto loop = match_counted_loop(tree_, above);
      return loop && loop->index == name.text() && value(loop->first, depth + 1);
    }
    if (may_change(tree_, kernel_.field("body"), name.text())) return false;
    for (const SyntaxNode& declarator : tree_.all(declaration, "init_declarator")) {
      if (declarator.field("declarator").text() == name.text()) {
        return value(declarator.field("value"), depth + 1);
      }
    }
    return false;
  }

  bool parameter(std::string_view name) const {
    const std::string_view kernel = name_of_kernel(kernel_);
    const Launch* launch = only_launch(subject_.candidate.plan, kernel);
    const Argument* argument = launch ? argument_for(tree_, kernel_, *launch, name) : nullptr;
    const auto* expression = argument ? std::get_if<Expr>(&argument->value) : nullptr;
    if (!expression) return false;
    return std::all_of(subject_.task.workloads.begin(), subject_.task.workloads.end(),
                       [&](const Workload& workload) {
                         Bindings bindings = workload.axes;
                         bindings.insert(subject_.candidate.tune.begin(),
                                         subject_.candidate.tune.end());
                         const auto result = expression->evaluate(bindings);
                         return result && *result >= 0;
                       });
  }

  const Subject& subject_;
  const SourceTree& tree_;
  SyntaxNode kernel_;
};

SyntaxNode block_of(SyntaxNode node) {
  while (node.valid() && node.type() != "compound_statement") node = node.parent();
  return node;
}

/// The statement of `block` that `node` is in.
SyntaxNode statement_in(const SyntaxNode& block, SyntaxNode node) {
  while (!(node.parent() == block)) node = node.parent();
  return node;
}

/// Quotients and remainders of the same two operands in one block.
struct Pair {
  SyntaxNode block;
  std::string operands;  // squeezed, for comparing
  std::vector<SyntaxNode> quotients, remainders;
};

std::vector<Pair> pairs_of(const SourceTree& tree, const SyntaxNode& kernel) {
  std::vector<Pair> pairs;
  for (const SyntaxNode& node : tree.all(kernel.field("body"), "binary_expression")) {
    const std::string_view sign = operator_of(node);
    if (sign != "/" && sign != "%") continue;
    const SyntaxNode left = node.field("left"), right = node.field("right");
    const SyntaxNode block = block_of(node);
    const std::string operands = squeezed(without_parentheses(left).text()) + " , " +
                                 squeezed(without_parentheses(right).text());
    const bool fixed = !constant_integer(tree, right, {}) && is_invariant(tree, left, block) &&
                       is_invariant(tree, right, block);
    if (!fixed || left.type() == "binary_expression") continue;
    auto known = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
      return pair.block == block && pair.operands == operands;
    });
    if (known == pairs.end()) known = pairs.insert(known, Pair{block, operands, {}, {}});
    (sign == "/" ? known->quotients : known->remainders).push_back(node);
  }
  std::erase_if(pairs, [](const Pair& p) { return p.quotients.empty() || p.remainders.empty(); });
  return pairs;
}

/// `int q = X / Y;` in front of all remainders, whose variable keeps its value: it is the quotient.
std::string existing_quotient(const SourceTree& tree, const SyntaxNode& kernel, const Pair& pair) {
  const SyntaxNode quotient = pair.quotients.front(), declarator = quotient.parent();
  if (declarator.type() != "init_declarator" || pair.quotients.size() != 1) return "";
  if (quotient.begin() > pair.remainders.front().begin()) return "";
  const std::string name(declarator.field("declarator").text());
  const bool kept = declared_once(tree, kernel, name) && !may_change(tree, pair.block, name) &&
                    declarator.parent().parent() == pair.block;
  return kept ? name : "";
}

}  // namespace

std::optional<std::string> shift_divisions(const Subject& subject, const SyntaxNode& kernel) {
  const SourceTree& tree = subject.tree;
  const NonNegative known(subject, kernel);
  Edits edits;
  std::size_t done = 0;
  for (const SyntaxNode& node : tree.all(kernel.field("body"), "binary_expression")) {
    const std::string_view sign = operator_of(node);
    if ((sign != "/" && sign != "%") || node.begin() < done) continue;
    const SyntaxNode left = node.field("left"), right = node.field("right");
    const auto divisor = constant_integer(tree, right, {});
    if (!divisor || *divisor < 2 || !std::has_single_bit(static_cast<std::uint64_t>(*divisor)))
      continue;
    if (!known.is_signed(left) || !known.value(left)) continue;
    const std::string operand = left.type() == "identifier"
                                    ? std::string(left.text())
                                    : fmt::format("({})", without_parentheses(left).text());
    edits.replace(node, sign == "/"
                            ? fmt::format("({} >> {})", operand,
                                          std::countr_zero(static_cast<std::uint64_t>(*divisor)))
                            : fmt::format("({} & {})", operand, *divisor - 1));
    done = node.end();
  }
  return edits.empty() ? std::nullopt : std::optional(edits.apply(tree.source()));
}

std::optional<std::string> share_divisions(const Subject& subject, const SyntaxNode& kernel) {
  const SourceTree& tree = subject.tree;
  Edits edits;
  int number = 0;
  for (const Pair& pair : pairs_of(tree, kernel)) {
    const SyntaxNode first =
        std::min(pair.quotients.front(), pair.remainders.front(),
                 [](const auto& a, const auto& b) { return a.begin() < b.begin(); });
    const SyntaxNode statement = statement_in(pair.block, first);
    const SyntaxNode left = first.field("left"), right = first.field("right");
    std::string quotient = existing_quotient(tree, kernel, pair);
    if (quotient.empty()) {
      auto names = tree.all(first, "identifier");
      const bool declared_here =
          std::any_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
            return declaration_of(tree, statement, name.text()).valid();
          });
      if (declared_here || statement.type() == "case_statement") continue;
      do {
        quotient = fmt::format("quotient{}", number == 0 ? "" : std::to_string(number));
        ++number;
      } while (mentions(tree, kernel, quotient));
      edits.insert(statement.begin(),
                   fmt::format("const auto {} = {};\n  ", quotient,
                               fmt::format("{} / {}", left.text(), right.text())));
      for (const SyntaxNode& node : pair.quotients) edits.replace(node, quotient);
    }
    for (const SyntaxNode& node : pair.remainders) {
      edits.replace(node, fmt::format("({} - {} * {})", left.text(), quotient, right.text()));
    }
  }
  return edits.empty() ? std::nullopt : std::optional(edits.apply(tree.source()));
}

}  // namespace kp::propose
