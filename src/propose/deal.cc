// SPDX-License-Identifier: Apache-2.0
#include "propose/deal.h"

#include <algorithm>
#include <map>

#include "propose/collectives.h"
#include "propose/effects.h"

namespace kp::propose {
namespace {

/// The value of a variable that is declared in the loop, once, and keeps it; invalid otherwise.
SyntaxNode value_of_own(const SourceTree& tree, const CountedLoop& loop, std::string_view name) {
  if (!declared_once(tree, loop.statement, name) || may_change(tree, loop.body, name)) return {};
  for (const LocalVariable& local : initialised_locals(tree, loop.body)) {
    if (local.name == name) return local.value;
  }
  return {};
}

bool is_own(const SourceTree& tree, const CountedLoop& loop, std::string_view name) {
  return name == loop.index || declaration_of(tree, loop.statement, name).valid();
}

/// The same in each turn, and loads nothing.
bool is_steady(const SourceTree& tree, const CountedLoop& loop, const SyntaxNode& node) {
  auto names = tree.all(node, "identifier");
  if (node.type() == "identifier") names.push_back(node);
  return is_invariant(tree, node, loop.statement) &&
         std::none_of(names.begin(), names.end(),
                      [&](const SyntaxNode& n) { return is_own(tree, loop, n.text()); });
}

/// By how many elements the expression moves each turn.
enum class Motion { kUnknown, kOne, kSome };

Motion motion_of(const SourceTree& tree, const CountedLoop& loop, const SyntaxNode& expression) {
  SyntaxNode node = without_parentheses(expression);
  while (node.type() == "cast_expression") node = without_parentheses(node.field("value"));
  if (node.type() == "identifier") {
    if (node.text() == loop.index) return loop.step == "1" ? Motion::kOne : Motion::kSome;
    const SyntaxNode value = value_of_own(tree, loop, node.text());
    return value.valid() ? motion_of(tree, loop, value) : Motion::kUnknown;
  }
  if (node.type() != "binary_expression") return Motion::kUnknown;
  const std::string_view op = operator_of(node);
  const SyntaxNode left = node.field("left"), right = node.field("right");
  const bool left_steady = is_steady(tree, loop, left), right_steady = is_steady(tree, loop, right);
  if (left_steady == right_steady) return Motion::kUnknown;
  const Motion moving = motion_of(tree, loop, left_steady ? right : left);
  if (op == "+" || (op == "-" && right_steady)) return moving;
  return op == "*" && moving != Motion::kUnknown ? Motion::kSome : Motion::kUnknown;
}

std::string expanded(const SourceTree& tree, const CountedLoop& loop, const SyntaxNode& node) {
  const SyntaxNode bare = without_parentheses(node);
  if (bare.type() == "identifier") {
    const SyntaxNode value = value_of_own(tree, loop, bare.text());
    return value.valid() ? "(" + expanded(tree, loop, value) + ")" : std::string(bare.text());
  }
  if (bare.type() == "binary_expression") {
    return expanded(tree, loop, bare.field("left")) + std::string(operator_of(bare)) +
           expanded(tree, loop, bare.field("right"));
  }
  return squeezed(bare.text());
}

SyntaxNode index_of(const SyntaxNode& element) {
  const auto indices = element.field("indices").children();
  return indices.size() == 1 ? indices.front() : SyntaxNode{};
}

/// Walks the statements of the loop.
class Dealing {
 public:
  Dealing(const SourceTree& tree, const SyntaxNode& kernel, DealtLoop& dealt)
      : tree_(tree), kernel_(kernel), dealt_(dealt), loop_(dealt.loop) {}

  bool run() {
    return visit(loop_.body) && accumulators_are_not_read() && (find_side_by_side(), true);
  }

 private:
  bool visit(const SyntaxNode& statement) {
    const std::string_view type = statement.type();
    if (type == "compound_statement" || type == "else_clause") return visit_all(statement);
    if (type == "comment" || type == "preproc_call" || type == "continue_statement" || type == ";")
      return true;
    if (type == "declaration") return is_pure(tree_, statement) && declares_values(statement);
    if (type == "for_statement") return visit_inner_loop(statement);
    if (const auto accumulation = match_accumulation(statement)) {
      if (accumulate(*accumulation, statement)) return true;
    }
    if (type == "if_statement") return visit_if(statement);
    return type == "expression_statement" && visit_expression(statement);
  }

  bool visit_all(const SyntaxNode& block) {
    const auto statements = block.children();
    return std::all_of(statements.begin(), statements.end(),
                       [this](const SyntaxNode& s) { return visit(s); });
  }

  /// References and pointers to outer variables could change them.
  bool declares_values(const SyntaxNode& declaration) const {
    return tree_.all(declaration, "reference_declarator").empty() &&
           declaration.text().find("static") == std::string_view::npos;
  }

  bool visit_inner_loop(const SyntaxNode& statement) {
    const auto inner = match_counted_loop(tree_, statement);
    return inner && !inner->type.empty() && is_pure(tree_, inner->first) && visit(inner->body);
  }

  bool visit_if(const SyntaxNode& statement) {
    const SyntaxNode other = statement.field("alternative");
    return is_pure(tree_, statement.field("condition")) && visit(statement.field("consequence")) &&
           (!other.valid() || visit(other));
  }

  bool visit_expression(const SyntaxNode& statement) {
    const auto parts = statement.children();
    if (parts.empty()) return true;
    const SyntaxNode expression = parts.front();
    if (expression.type() == "update_expression") return visit_target(expression.field("argument"));
    if (expression.type() != "assignment_expression") return false;
    return is_pure(tree_, expression.field("right")) && visit_target(expression.field("left"));
  }

  /// The variable or element that is assigned.
  bool visit_target(SyntaxNode target) {
    const SyntaxNode assigned = target;
    while (target.type() == "field_expression") target = target.field("argument");
    if (!is_pure(tree_, target)) return false;
    SyntaxNode root = target;
    while (root.type() == "subscript_expression") root = root.field("argument");
    if (root.type() != "identifier") return false;
    const SyntaxNode own = declaration_of(tree_, loop_.statement, root.text());
    if (own.valid() && !(own == loop_.statement.field("initializer"))) {
      // An element of an array of this turn, or memory behind a pointer of this turn.
      return target.type() == "identifier" || is_array_of(own, root);
    }
    if (target.type() != "subscript_expression" || !(target.field("argument") == root))
      return false;
    return store(assigned, target, root.text());
  }

  bool is_array_of(const SyntaxNode& declaration, const SyntaxNode& root) const {
    for (const SyntaxNode& array : tree_.all(declaration, "array_declarator")) {
      if (mentions(tree_, array.field("declarator"), root.text())) return true;
    }
    return false;
  }

  bool store(const SyntaxNode& assigned, const SyntaxNode& element, std::string_view pointer) {
    const SyntaxNode index = index_of(element);
    if (!(assigned == element) || !index.valid()) return false;
    if (motion_of(tree_, loop_, index) == Motion::kUnknown) return false;
    dealt_.stores.push_back({element, std::string(pointer), place_in(tree_, loop_, element)});
    return true;
  }

  bool accumulate(const Accumulation& accumulation, const SyntaxNode& statement) {
    const std::string name(accumulation.target.text());
    if (accumulation.target.type() != "identifier" || is_own(tree_, loop_, name)) return false;
    const SyntaxNode declaration = declaration_of(tree_, kernel_, name);
    if (!declaration.valid() || !declared_once(tree_, kernel_, name)) return false;
    const std::string type(declaration.field("type").text());
    const bool plain = tree_.all(declaration, "pointer_declarator").empty() &&
                       tree_.all(declaration, "array_declarator").empty() &&
                       tree_.all(declaration, "reference_declarator").empty();
    if (!plain || !can_shuffle(type) || !has_pure_operands(statement)) return false;
    const auto found = std::find_if(dealt_.accumulators.begin(), dealt_.accumulators.end(),
                                    [&](const Accumulator& known) { return known.name == name; });
    mentions_[name] += accumulation.mentions;
    if (found != dealt_.accumulators.end()) return found->combine == accumulation.combine;
    dealt_.accumulators.push_back({name, type, accumulation.combine});
    return true;
  }

  /// Everything but the assignment itself.
  bool has_pure_operands(const SyntaxNode& statement) const {
    if (statement.type() == "if_statement") return is_pure(tree_, statement.field("condition"));
    const SyntaxNode expression = statement.children().front();
    return expression.type() == "update_expression" || is_pure(tree_, expression.field("right"));
  }

  bool accumulators_are_not_read() const {
    return std::all_of(dealt_.accumulators.begin(), dealt_.accumulators.end(),
                       [this](const Accumulator& a) {
                         const auto all = mentions_of(tree_, loop_.statement, a.name);
                         return static_cast<int>(all.size()) == mentions_.at(a.name);
                       });
  }

  void find_side_by_side() {
    for (const SyntaxNode& element : tree_.all(loop_.body, "subscript_expression")) {
      const SyntaxNode index = index_of(element);
      if (index.valid() && motion_of(tree_, loop_, index) == Motion::kOne)
        dealt_.side_by_side = true;
    }
  }

  const SourceTree& tree_;
  SyntaxNode kernel_;
  DealtLoop& dealt_;
  const CountedLoop& loop_;
  std::map<std::string, int> mentions_;
};

}  // namespace

std::optional<DealtLoop> deal_out(const SourceTree& tree, const SyntaxNode& kernel,
                                  const SyntaxNode& statement) {
  auto loop = match_counted_loop(tree, statement);
  if (!loop || loop->type.empty()) return std::nullopt;
  DealtLoop dealt{*std::move(loop), {}, {}};
  if (!Dealing(tree, kernel, dealt).run()) return std::nullopt;
  return dealt;
}

std::optional<DealtLoop> deal_out(const SourceTree& tree, const SyntaxNode& kernel,
                                  const SyntaxNode& scope, const std::string& index) {
  DealtLoop dealt;
  dealt.loop.statement = dealt.loop.body = scope;
  dealt.loop.index = index;
  dealt.loop.step = "1";
  if (may_change(tree, scope, index) || !Dealing(tree, kernel, dealt).run()) return std::nullopt;
  return dealt;
}

std::string place_in(const SourceTree& tree, const CountedLoop& loop, const SyntaxNode& element) {
  return expanded(tree, loop, index_of(element));
}

}  // namespace kp::propose
