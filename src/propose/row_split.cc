// SPDX-License-Identifier: Apache-2.0
#include "propose/row_split.h"

#include <algorithm>
#include <cctype>

#include "propose/collectives.h"
#include "propose/effects.h"
#include "propose/index_form.h"
#include "propose/launches.h"
#include "propose/pointees.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kFewestTurns = 16;  // fewer are not worth a shuffle
constexpr std::int64_t kLaneChoices[] = {16, 8, 32, 4};

/// Finds what all threads of a block load at the same time.
class RowFinder {
 public:
  RowFinder(const SourceTree& tree, const SyntaxNode& kernel)
      : tree_(tree), kernel_(kernel), body_(kernel.field("body")), locals_(tree) {
    for (const SyntaxNode& declaration : tree.all(body_, "declaration")) {
      Locals one(tree);
      const bool stays =
          one.read(declaration) &&
          std::all_of(one.all().begin(), one.all().end(), [&](const Local& local) {
            return !may_change(tree, body_, local.name) && declared_once(tree, kernel, local.name);
          });
      if (stays) locals_.read(declaration);
    }
  }

  bool is_uniform(const SyntaxNode& expression) const {
    const auto form = form_of(expression, locals_, {});
    return form && is_uniform(*form);
  }

  /// The row that a dealt loop reads with `load`, if it is one.
  std::optional<BlockRow> row(const CountedLoop& outer, const Dealt& dealt,
                              const SyntaxNode& load) const {
    const std::string& j = outer.index;
    const std::string& d = dealt.deal.loop.index;
    const auto element = element_of(load, locals_, {j, d});
    const auto along = element ? element->index.step(d) : std::nullopt;
    const auto down = element ? element->index.step(j) : std::nullopt;
    if (!along || !down || along->value() != 1 || down->value() == 0 || !is_uniform(*down) ||
        !is_uniform(element->index.without(j).without(d))) {
      return std::nullopt;
    }
    for (const PointerParameter& pointer : pointer_parameters(tree_, kernel_)) {
      if (pointer.name != element->pointer || pointer.element_bytes > 4) continue;
      if (!pointer.constant && !pointers_if_only_read(tree_, kernel_, pointer.name)) continue;
      return BlockRow{pointer.name, pointer.element, pointer.element_bytes, dealt.turns, d, {load}};
    }
    return std::nullopt;
  }

 private:
  /// Made of parameters, constants and block indices.
  bool is_uniform(const IndexForm& form) const {
    const auto names = form.names();
    return std::all_of(names.begin(), names.end(), [this](const std::string& name) {
      if (name.starts_with("blockIdx.")) return true;
      const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
      });
      if (!plain) return false;
      const SyntaxNode declaration = declaration_of(tree_, kernel_, name);
      return !declaration.valid() || (declaration.type().ends_with("parameter_declaration") &&
                                      !may_change(tree_, body_, name));
    });
  }

  const SourceTree& tree_;
  SyntaxNode kernel_, body_;
  Locals locals_;
};

void add_row(std::vector<BlockRow>& rows, BlockRow row) {
  for (BlockRow& known : rows) {
    if (known.pointer != row.pointer || !same_text(known.uses.front(), row.uses.front())) continue;
    known.uses.push_back(row.uses.front());
    return;
  }
  rows.push_back(std::move(row));
}

}  // namespace

RowSplit::RowSplit(const Subject& subject, const Elementwise& shape)
    : subject_(subject), tree_(subject.tree), shape_(shape) {}

/// False when something does not fit; then why() says what.
bool RowSplit::analyse() {
  if (!find_arrays()) return false;
  for (const SyntaxNode& statement : shape_.body) {
    if (!visit(statement)) return false;
  }
  if (dealt_.empty()) return no("it has no loop of constant length that lanes could share");
  return check_arrays() && check_memory() && check_built_ins();
}

/// Numbers of lanes that divide every loop, best first.
std::vector<std::int64_t> RowSplit::lanes() const {
  std::vector<std::int64_t> lanes;
  for (const std::int64_t choice : kLaneChoices) {
    const bool divides = std::all_of(dealt_.begin(), dealt_.end(),
                                     [&](const Dealt& d) { return d.turns % choice == 0; });
    if (divides) lanes.push_back(choice);
  }
  return lanes;
}

bool RowSplit::no(std::string why) {
  why_ = std::move(why);
  return false;
}

bool RowSplit::find_arrays() {
  for (const SyntaxNode& declarator : tree_.all(shape_.kernel.field("body"), "array_declarator")) {
    const SyntaxNode name = declarator.field("declarator"), size = declarator.field("size");
    const auto extent =
        size.valid() ? constant_integer(tree_, size, subject_.candidate.tune) : std::nullopt;
    const bool plain = declarator.parent().type() == "declaration" && name.type() == "identifier" &&
                       extent && declared_once(tree_, shape_.kernel, name.text());
    if (!plain) return no("a local array has a value from the start or no constant length");
    arrays_.push_back({std::string(name.text()), size, *extent});
  }
  return true;
}

bool RowSplit::visit(const SyntaxNode& statement) {
  const std::string_view type = statement.type();
  if (type == "comment" || type == "preproc_call") return true;
  if (type == "compound_statement" || type == "else_clause") {
    const auto inner = statement.children();
    return std::all_of(inner.begin(), inner.end(),
                       [this](const SyntaxNode& s) { return visit(s); });
  }
  if (type == "declaration") return visit_declaration(statement);
  if (type == "if_statement") {
    const SyntaxNode other = statement.field("alternative");
    return (is_pure(tree_, statement.field("condition")) || no("a condition has effects")) &&
           visit(statement.field("consequence")) && (!other.valid() || visit(other));
  }
  if (type == "for_statement") return visit_loop(statement);
  if (type == "expression_statement") return visit_expression(statement);
  return no("it has a statement that lanes cannot share");
}

bool RowSplit::visit_declaration(const SyntaxNode& declaration) {
  const std::string_view text = declaration.text();
  const bool plain = is_pure(tree_, declaration) &&
                     tree_.all(declaration, "reference_declarator").empty() &&
                     text.find("static") == std::string_view::npos &&
                     text.find("volatile") == std::string_view::npos;
  return plain || no("a declaration is not plain");
}

bool RowSplit::visit_loop(const SyntaxNode& statement) {
  const auto loop = match_counted_loop(tree_, statement);
  if (!loop) return no("a loop does not count");
  const auto turns = trip_count(tree_, *loop, subject_.candidate.tune);
  const bool fits = turns && *turns >= kFewestTurns && loop->first.text() == "0" &&
                    loop->step == "1" && !loop->type.empty() && !has_continue(tree_, *loop);
  auto deal = fits ? deal_out(tree_, shape_.kernel, statement) : std::nullopt;
  if (!deal) return (is_pure(tree_, loop->first) || no("a loop has effects")) && visit(loop->body);
  for (const Accumulator& sum : deal->accumulators) {
    if (!can_shuffle(sum.type)) return no("'" + sum.name + "' cannot be shuffled");
  }
  dealt_.push_back({*std::move(deal), *turns, {}});
  return true;
}

bool RowSplit::visit_expression(const SyntaxNode& statement) {
  const auto parts = statement.children();
  if (parts.empty()) return true;
  const SyntaxNode expression = parts.front();
  const bool steps = expression.type() == "update_expression";
  if (!steps && (expression.type() != "assignment_expression" ||
                 !is_pure(tree_, expression.field("right")))) {
    return no("a statement is more than an assignment");
  }
  const SyntaxNode target = expression.field(steps ? "argument" : "left");
  if (!is_pure(tree_, target)) return no("the target of an assignment has effects");
  if (target.type() != "identifier") single_.push_back(statement);
  return true;
}

Dealt* RowSplit::loop_around(const SyntaxNode& node) {
  for (Dealt& dealt : dealt_) {
    const SyntaxNode& loop = dealt.deal.loop.statement;
    if (node.begin() >= loop.begin() && node.end() <= loop.end()) return &dealt;
  }
  return nullptr;
}

/// Every use is one element, that of the turn.
bool RowSplit::check_arrays() {
  for (const SharedOut& array : arrays_) {
    for (const SyntaxNode& mention : mentions_of(tree_, shape_.kernel.field("body"), array.name)) {
      const SyntaxNode element = mention.parent();
      if (element.type() == "array_declarator") continue;
      Dealt* dealt = loop_around(mention);
      const bool own =
          dealt && dealt->turns == array.extent && element.type() == "subscript_expression" &&
          element.field("argument") == mention &&
          squeezed(element.field("indices").text()) == "[" + dealt->deal.loop.index + "]" &&
          element.parent().type() != "pointer_expression";
      if (!own) return no("'" + array.name + "' is used for more than the element of a turn");
      dealt->elements.push_back(element);
    }
  }
  return true;
}

/// What is stored is never loaded: lanes of a group would have to wait for each other.
bool RowSplit::check_memory() {
  const Launch* launch = only_launch(subject_.candidate.plan, name_of_kernel(shape_.kernel));
  if (!launch) return no("it is not launched exactly once");
  const SyntaxNode body = shape_.kernel.field("body");
  for (const PointerParameter& pointer : pointer_parameters(tree_, shape_.kernel)) {
    if (pointer.constant || pointers_if_only_read(tree_, shape_.kernel, pointer.name)) continue;
    if (!is_passed_once(tree_, shape_.kernel, *launch, pointer.name)) {
      return no("'" + pointer.name + "' may be loaded under another name");
    }
    for (const SyntaxNode& mention : mentions_of(tree_, body, pointer.name)) {
      const SyntaxNode element = mention.parent(), assignment = element.parent();
      const bool stored = element.type() == "subscript_expression" &&
                          element.field("argument") == mention &&
                          assignment.type() == "assignment_expression" &&
                          assignment.field("left") == element && operator_of(assignment) == "=";
      if (!stored) return no("'" + pointer.name + "' is more than stored to");
    }
  }
  return true;
}

bool RowSplit::check_built_ins() {
  for (const SyntaxNode& field : tree_.all(shape_.kernel.field("body"), "field_expression")) {
    const std::string_view text = field.text();
    const SyntaxNode own = shape_.index.value;
    const bool inside = field.begin() >= own.begin() && field.end() <= own.end();
    const bool thread = text.starts_with("threadIdx") || text.starts_with("blockDim") ||
                        text.starts_with("gridDim") || text == "blockIdx.x";
    if (thread && !inside) return no("it uses " + std::string(text) + " for more than its row");
  }
  const bool changes = may_change(tree_, shape_.kernel.field("body"), shape_.index.name);
  return !changes || no("the index of its row changes");
}

std::optional<RowLoop> RowSplit::row_loop() const {
  const RowFinder finder(tree_, shape_.kernel);
  for (const SyntaxNode& statement : shape_.body) {
    if (statement.type() != "for_statement") continue;
    const auto loop = match_counted_loop(tree_, statement);
    if (!loop || loop->type != "int" || loop->step != "1" || !finder.is_uniform(loop->first) ||
        has_continue(tree_, *loop)) {
      continue;
    }
    RowLoop found{*loop, finder.is_uniform(loop->bound), {}};
    for (const Dealt& dealt : dealt_) {
      if (!lies_in(dealt.deal.loop.statement, loop->body)) continue;
      for (const SyntaxNode& load : tree_.all(dealt.deal.loop.body, "subscript_expression")) {
        if (auto row = finder.row(*loop, dealt, load)) add_row(found.rows, *std::move(row));
      }
    }
    if (!found.rows.empty()) return found;
  }
  return std::nullopt;
}

}  // namespace kp::propose
