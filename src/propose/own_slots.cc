// SPDX-License-Identifier: Apache-2.0
#include "propose/own_slots.h"

#include <algorithm>

#include "propose/collectives.h"
#include "propose/effects.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

bool is_shared(const SyntaxNode& declaration) {
  return declaration.text().find("__shared__") != std::string_view::npos;
}

bool is_assigned_to(const SyntaxNode& element) {
  const SyntaxNode above = element.parent();
  return above.type() == "update_expression" || above.type() == "pointer_expression" ||
         (above.type() == "assignment_expression" && above.field("left") == element);
}

}  // namespace

std::vector<SyntaxNode> shared_declarations(const SourceTree& tree, const SyntaxNode& function) {
  auto found = tree.all(function.field("body"), "declaration");
  std::erase_if(found, [](const SyntaxNode& d) { return !is_shared(d); });
  return found;
}

bool OwnSlots::analyse() {
  const SyntaxNode declaration = declaration_of(tree_, function_, name_);
  if (!declaration.valid() || !is_shared(declaration) ||
      tree_.all(declaration, "array_declarator").size() != 1 ||
      !declared_once(tree_, function_, name_)) {
    return false;
  }
  declaration_ = declaration;
  type_ = declaration.field("type").text();
  if (!can_shuffle(type_) || declaration.text().find("volatile") != std::string_view::npos)
    return false;
  for (const SyntaxNode& mention : mentions_of(tree_, function_.field("body"), name_)) {
    if (!lies_in(mention, declaration) && !follow(mention)) return false;
  }
  return reduced_;
}

bool OwnSlots::follow(const SyntaxNode& mention) {
  enter_loop_of(mention);
  for (const BarrierTree& tree : trees_) {
    if (mention.begin() >= tree.begin && mention.end() <= tree.end) return reduce(tree);
  }
  const SyntaxNode element = mention.parent();
  if (element.type() != "subscript_expression" || !(element.field("argument") == mention))
    return false;
  const auto indices = element.field("indices").children();
  if (indices.size() != 1) return false;
  uses_.push_back(element);
  if (block_.is_thread(indices.front())) return use_own(element);
  // The tree may stand under a condition; then its result is there only behind it.
  return indices.front().text() == "0" && state_ == State::kResult && !is_assigned_to(element) &&
         lies_in(element, result_in_);
}

bool OwnSlots::reduce(const BarrierTree& tree) {
  const auto array = std::find_if(tree.arrays.begin(), tree.arrays.end(),
                                  [this](const auto& a) { return a.name == name_; });
  if (array == tree.arrays.end()) return false;
  if (tree.begin == reduced_at_) return true;
  reduced_at_ = tree.begin;
  reduced_ = true;
  result_in_ = tree.parent;
  const bool ready = state_ == State::kOwn;
  state_ = State::kResult;
  return ready;
}

bool OwnSlots::use_own(const SyntaxNode& element) {
  const SyntaxNode above = element.parent();
  if (above.type() == "pointer_expression") return false;
  const bool assigned = above.type() == "assignment_expression" && above.field("left") == element;
  if (assigned && operator_of(above) == "=") {
    state_ = State::kOwn;
    return true;
  }
  return state_ == State::kOwn;
}

/// What the slots hold at the start of a turn is not known.
void OwnSlots::enter_loop_of(const SyntaxNode& mention) {
  SyntaxNode loop = mention.parent();
  for (; loop.valid(); loop = loop.parent()) {
    const bool in_tree = std::any_of(trees_.begin(), trees_.end(), [&](const BarrierTree& tree) {
      return loop.begin() == tree.begin && loop.end() == tree.end;
    });
    const std::string_view type = loop.type();
    const bool turns =
        type == "for_statement" || type == "while_statement" || type == "do_statement";
    if (turns && !in_tree) break;
  }
  if (started_ && !(loop == loop_)) state_ = State::kUnknown;
  loop_ = loop;
  started_ = true;
}

}  // namespace kp::propose
