// SPDX-License-Identifier: Apache-2.0
#include "propose/row_work.h"

#include <algorithm>

#include "propose/aliases.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/pointees.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// No lane reads what another lane stores.
class Ownership {
 public:
  Ownership(const Subject& subject, const Elementwise& shape, const RowWork& work)
      : tree_(subject.tree),
        shape_(shape),
        work_(work),
        launch_(only_launch(subject.candidate.plan, name_of_kernel(shape.kernel))) {}

  bool holds() const {
    const auto pointers = passed_pointers(tree_, shape_.kernel);
    if (!launch_ || !pointers) return false;
    std::vector<std::string> known;
    for (const Passed& pointer : *pointers) {
      const auto aliases = aliases_of(tree_, shape_.kernel, pointer.name);
      if (!aliases || !fits(pointer, *aliases)) return false;
      known.insert(known.end(), aliases->names.begin(), aliases->names.end());
    }
    return stores_go_to(known);
  }

 private:
  /// Nothing is stored but through parameters.
  bool stores_go_to(const std::vector<std::string>& known) const {
    for (const SyntaxNode& assignment :
         tree_.all(shape_.kernel.field("body"), "assignment_expression")) {
      SyntaxNode root = assignment.field("left");
      if (root.type() != "subscript_expression") continue;
      while (root.type() == "subscript_expression") root = root.field("argument");
      const SyntaxNode declaration = declaration_of(tree_, shape_.kernel, root.text());
      const bool own_array =
          declaration.valid() && !tree_.all(declaration, "array_declarator").empty();
      if (!own_array && std::find(known.begin(), known.end(), root.text()) == known.end())
        return false;
    }
    return true;
  }

  bool fits(const Passed& pointer, const Aliases& aliases) const {
    if (pointer.constant || pointers_if_only_read(tree_, shape_.kernel, pointer.name)) return true;
    if (!is_passed_once(tree_, shape_.kernel, *launch_, pointer.name)) return false;
    std::string place;
    for (const std::string& name : aliases.names) {
      for (const SyntaxNode& mention : mentions_of(tree_, shape_.kernel.field("body"), name)) {
        if (!aliases.declares(mention) && !fits(mention, place)) return false;
      }
    }
    return true;
  }

  /// `place` is where all dealt accesses to the array are, empty before the first; "single" when
  /// one lane alone stores and nobody reads.
  bool fits(const SyntaxNode& mention, std::string& place) const {
    const SyntaxNode element = mention.parent();
    if (element.type() != "subscript_expression" || !(element.field("argument") == mention))
      return false;
    const std::string here = place_of(element, mention.text());
    if (!stays(element.field("indices"))) return false;
    if (here.empty() || (!place.empty() && place != here)) return false;
    place = here;
    return true;
  }

  /// What the index is computed from, but for indices of dealt loops and what their turns declare,
  /// has one value throughout: places would move past each other otherwise.
  bool stays(const SyntaxNode& indices) const {
    const auto names = tree_.all(indices, "identifier");
    return std::all_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
      const bool own =
          std::any_of(work_.dealt().begin(), work_.dealt().end(), [&](const DealtLoop& dealt) {
            return lies_in(name, dealt.loop.statement) &&
                   declaration_of(tree_, dealt.loop.statement, name.text()).valid();
          });
      return own || !may_change(tree_, shape_.kernel.field("body"), name.text());
    });
  }

  std::string place_of(const SyntaxNode& element, std::string_view pointer) const {
    for (const DealtLoop& dealt : work_.dealt()) {
      const CountedLoop& loop = dealt.loop;
      if (!lies_in(element, loop.statement)) continue;
      const std::string place = place_in(tree_, loop, element);
      const bool stored =
          std::any_of(dealt.stores.begin(), dealt.stores.end(), [&](const DealtStore& store) {
            return store.pointer == pointer && store.place == place;
          });
      return stored || place_known(place) ? header_of(loop) + std::string(pointer) + place : "";
    }
    for (const SyntaxNode& statement : work_.single()) {
      SyntaxNode expression = statement.children().front();
      const bool target =
          expression.field("left") == element || expression.field("argument") == element;
      if (lies_in(element, statement) && target) return "single";
    }
    return "";
  }

  bool place_known(const std::string& place) const {
    return std::any_of(work_.dealt().begin(), work_.dealt().end(), [&](const DealtLoop& dealt) {
      return std::any_of(dealt.stores.begin(), dealt.stores.end(),
                         [&](const DealtStore& store) { return store.place == place; });
    });
  }

  static std::string header_of(const CountedLoop& loop) {
    return squeezed(loop.first.text()) + ";" + squeezed(loop.bound.text()) + ";" + loop.step + ";" +
           loop.index + (loop.inclusive ? "=;" : ";");
  }

  const SourceTree& tree_;
  const Elementwise& shape_;
  const RowWork& work_;
  const Launch* launch_;
};

}  // namespace

bool RowWork::analyse() {
  const bool fits = std::all_of(shape_.body.begin(), shape_.body.end(),
                                [this](const SyntaxNode& s) { return visit(s); });
  return fits && !dealt_.empty();
}

bool RowWork::visit(const SyntaxNode& statement) {
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
    return is_pure(tree_, statement.field("condition")) && visit(statement.field("consequence")) &&
           (!other.valid() || visit(other));
  }
  if (type == "for_statement") return visit_loop(statement);
  return type == "expression_statement" && visit_expression(statement);
}

/// Every lane would have its own copy of an array, but only its own turns in it.
bool RowWork::visit_declaration(const SyntaxNode& declaration) const {
  return is_pure(tree_, declaration) && tree_.all(declaration, "array_declarator").empty() &&
         tree_.all(declaration, "reference_declarator").empty() &&
         declaration.text().find("static") == std::string_view::npos;
}

/// A loop is dealt out, or every lane runs it and shares the loops inside.
bool RowWork::visit_loop(const SyntaxNode& statement) {
  auto dealt = deal_out(tree_, shape_.kernel, statement);
  const bool in_block = statement.parent().type() == "compound_statement";
  const bool inner = !outermost_ && dealt && !dealt->side_by_side && has_inner_work(statement);
  if (dealt && in_block && !inner) {
    dealt_.push_back(*std::move(dealt));
    return true;
  }
  const auto loop = match_counted_loop(tree_, statement);
  return loop && is_pure(tree_, loop->first) && visit(loop->body);
}

bool RowWork::has_inner_work(const SyntaxNode& statement) const {
  const auto inner = tree_.all(statement.field("body"), "for_statement");
  return std::any_of(inner.begin(), inner.end(), [this](const SyntaxNode& loop) {
    const auto dealt = deal_out(tree_, shape_.kernel, loop);
    return dealt && dealt->side_by_side && loop.parent().type() == "compound_statement";
  });
}

bool RowWork::visit_expression(const SyntaxNode& statement) {
  const auto parts = statement.children();
  if (parts.empty()) return true;
  const SyntaxNode expression = parts.front();
  SyntaxNode target;
  if (expression.type() == "update_expression") {
    target = expression.field("argument");
  } else if (expression.type() == "assignment_expression" &&
             is_pure(tree_, expression.field("right"))) {
    target = expression.field("left");
  }
  if (!target.valid() || !is_pure(tree_, target)) return false;
  SyntaxNode root = target;
  while (root.type() == "field_expression") root = root.field("argument");
  if (root.type() != "identifier") single_.push_back(statement);
  return true;
}

bool lanes_keep_apart(const Subject& subject, const Elementwise& shape, const RowWork& work) {
  return Ownership(subject, shape, work).holds();
}

}  // namespace kp::propose
