// SPDX-License-Identifier: Apache-2.0
// Sees: a reduction over a shared array in log2(block) steps, each behind a barrier.
// Does: keeps each thread's value in a register and combines them by warp shuffles and one partial
//   value for each warp; the array goes away, and barriers that only guarded it with it.
// Refuses: an array of which threads read or write other elements than their own before the tree
//   and element 0 behind it; blocks that are no whole warps or have other sizes than the tree;
//   threads that left before the tree.
#include <fmt/format.h>

#include <algorithm>

#include "propose/aliases.h"
#include "propose/barrier_tree.h"
#include "propose/catalog.h"
#include "propose/collectives.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/pointees.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

bool is_shared(const SyntaxNode& declaration) {
  return declaration.text().find("__shared__") != std::string_view::npos;
}

std::vector<SyntaxNode> shared_declarations(const SourceTree& tree, const SyntaxNode& function) {
  auto found = tree.all(function.field("body"), "declaration");
  std::erase_if(found, [](const SyntaxNode& d) { return !is_shared(d); });
  return found;
}

/// An array that holds one value for each thread, read by others only through trees.
class OwnSlots {
 public:
  OwnSlots(const SourceTree& tree, const SyntaxNode& function, const FlatBlock& block,
           const std::vector<BarrierTree>& trees, std::string name)
      : tree_(tree), function_(function), block_(block), trees_(trees), name_(std::move(name)) {}

  /// Follows the uses in the order of the source: a thread's own value, the tree, the result.
  bool analyse() {
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

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  const SyntaxNode& declaration() const { return declaration_; }
  /// The elements outside the trees.
  const std::vector<SyntaxNode>& uses() const { return uses_; }

 private:
  enum class State { kUnknown, kOwn, kResult };

  bool follow(const SyntaxNode& mention) {
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
    return indices.front().text() == "0" && state_ == State::kResult && !is_target(element) &&
           lies_in(element, result_in_);
  }

  bool reduce(const BarrierTree& tree) {
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

  bool use_own(const SyntaxNode& element) {
    const SyntaxNode above = element.parent();
    if (above.type() == "pointer_expression") return false;
    const bool assigned = above.type() == "assignment_expression" && above.field("left") == element;
    if (assigned && operator_of(above) == "=") {
      state_ = State::kOwn;
      return true;
    }
    return state_ == State::kOwn;
  }

  static bool is_target(const SyntaxNode& element) {
    const SyntaxNode above = element.parent();
    return above.type() == "update_expression" || above.type() == "pointer_expression" ||
           (above.type() == "assignment_expression" && above.field("left") == element);
  }

  /// What the slots hold at the start of a turn is not known.
  void enter_loop_of(const SyntaxNode& mention) {
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

  const SourceTree& tree_;
  SyntaxNode function_;
  const FlatBlock& block_;
  const std::vector<BarrierTree>& trees_;
  std::string name_, type_;
  SyntaxNode declaration_, loop_, result_in_;
  std::vector<SyntaxNode> uses_;
  State state_ = State::kUnknown;
  bool started_ = false, reduced_ = false;
  std::size_t reduced_at_ = std::string::npos;
};

/// Threads that left would be missing from the shuffles.
bool all_threads_arrive(const SourceTree& tree, const SyntaxNode& function, const FlatBlock& block,
                        std::size_t place) {
  for (const SyntaxNode& jump : tree.all(function.field("body"), "return_statement")) {
    if (jump.begin() > place) continue;
    SyntaxNode branch = jump.parent();
    while (branch.valid() && branch.type() != "if_statement") branch = branch.parent();
    if (!branch.valid() || !block.is_uniform(branch.field("condition").children().front()))
      return false;
  }
  return true;
}

class WarpShuffle final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"warp_shuffle", diagnose::action::kWarpShuffle,
            "replaces a reduction tree with barriers by warp shuffles",
            "a tree over one shared value for each thread of a one-dimensional block of whole "
            "warps, whose result is read from element 0"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& function :
         subject.tree.all(subject.tree.root(), "function_definition")) {
      if (!concerns(subject, function)) continue;
      const auto block = FlatBlock::of(subject, function);
      if (!block || !block->has_whole_warps()) continue;
      auto version = shuffle(subject, function, *block);
      if (version) return std::vector{*std::move(version)};
    }
    return Refusal{
        "no one-dimensional block of whole warps reduces one shared value for each thread in a "
        "tree with barriers"};
  }

 private:
  static std::optional<Rewritten> shuffle(const Subject& subject, const SyntaxNode& function,
                                          const FlatBlock& block) {
    const SourceTree& tree = subject.tree;
    const auto trees = barrier_trees(tree, function, block);
    if (trees.empty() || !all_threads_arrive(tree, function, block, trees.back().begin))
      return std::nullopt;
    std::vector<OwnSlots> arrays;
    for (const BarrierTree& one : trees) {
      for (const BarrierTree::Array& array : one.arrays) {
        const bool known = std::any_of(arrays.begin(), arrays.end(),
                                       [&](const OwnSlots& a) { return a.name() == array.name; });
        if (known) continue;
        OwnSlots slots(tree, function, block, trees, array.name);
        if (!slots.analyse()) return std::nullopt;
        arrays.push_back(std::move(slots));
      }
    }
    return write(subject, function, trees, arrays);
  }

  static std::optional<Rewritten> write(const Subject& subject, const SyntaxNode& function,
                                        const std::vector<BarrierTree>& trees,
                                        const std::vector<OwnSlots>& arrays) {
    Edits edits;
    Collectives collectives(subject.tree, function);
    for (const OwnSlots& slots : arrays) {
      const std::string value = slots.name() + "_value";
      if (mentions(subject.tree, function, value)) return std::nullopt;
      edits.replace(slots.declaration(), fmt::format("{} {};", slots.type(), value));
      for (const SyntaxNode& use : slots.uses()) edits.replace(use, value);
    }
    for (const BarrierTree& one : trees) {
      std::string text;
      for (const BarrierTree::Array& array : one.arrays) {
        const auto slots = std::find_if(arrays.begin(), arrays.end(),
                                        [&](const OwnSlots& s) { return s.name() == array.name; });
        const std::string value = array.name + "_value";
        text += fmt::format("{}{} = {};", text.empty() ? "" : "\n  ", value,
                            collectives.over_block(array.combine, slots->type(), value));
      }
      edits.replace(one.begin, one.end, text);
    }
    remove_barriers(subject.tree, function, trees, arrays.size(), edits);
    collectives.insert_into(edits);
    std::string source = edits.apply(subject.tree.source());
    return finish(subject, function, arrays, std::move(source));
  }

  /// All of them when nothing is shared any more; else those directly before a tree, whose calls
  /// start with a barrier.
  static void remove_barriers(const SourceTree& tree, const SyntaxNode& function,
                              const std::vector<BarrierTree>& trees, std::size_t arrays,
                              Edits& edits) {
    const bool all = shared_declarations(tree, function).size() == arrays &&
                     !exchanges_through_memory(tree, function);
    for (const SyntaxNode& statement : tree.all(function.field("body"), "expression_statement")) {
      const bool kept_apart = std::any_of(trees.begin(), trees.end(), [&](const BarrierTree& one) {
        return statement.begin() >= one.begin && statement.end() <= one.end;
      });
      if (kept_apart || !is_block_barrier(statement)) continue;
      const std::string& source = tree.source();
      const std::size_t next = source.find_first_not_of(" \t\n", statement.end());
      const bool before_tree = std::any_of(
          trees.begin(), trees.end(), [&](const BarrierTree& one) { return one.begin == next; });
      const bool in_block = statement.parent().type() == "compound_statement";
      if ((all || before_tree) && in_block) edits.replace(statement.begin(), next, "");
    }
  }

  /// Some array in global memory is written and read.
  static bool exchanges_through_memory(const SourceTree& tree, const SyntaxNode& function) {
    const auto pointers = passed_pointers(tree, function);
    if (!pointers) return true;
    for (const Passed& pointer : *pointers) {
      if (pointer.constant || pointers_if_only_read(tree, function, pointer.name)) continue;
      const auto aliases = aliases_of(tree, function, pointer.name);
      if (!aliases) return true;
      for (const std::string& name : aliases->names) {
        const auto all = mentions_of(tree, function.field("body"), name);
        if (!std::all_of(all.begin(), all.end(), [&](const SyntaxNode& mention) {
              return aliases->declares(mention) || only_writes(mention);
            })) {
          return true;
        }
      }
    }
    return false;
  }

  static bool only_writes(const SyntaxNode& mention) {
    const SyntaxNode element = mention.parent(), above = element.parent();
    const bool stored = element.type() == "subscript_expression" &&
                        above.type() == "assignment_expression" && above.field("left") == element &&
                        operator_of(above) == "=";
    return stored || (element.type() == "argument_list" &&
                      above.field("function").text().starts_with("atomic"));
  }

  static std::optional<Rewritten> finish(const Subject& subject, const SyntaxNode& function,
                                         const std::vector<OwnSlots>& arrays, std::string source) {
    const std::string idea =
        fmt::format("reduces {} of {} by warp shuffles instead of a tree with barriers",
                    arrays.front().name(), name_of_kernel(function));
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name_of_kernel(function));
    const auto left = shared_declarations(subject.tree, function);
    const bool dynamic = arrays.front().declaration().text().starts_with("extern");
    if (!dynamic) return Rewritten{std::move(source), idea};
    if (!launch || left.size() != arrays.size()) return std::nullopt;
    launch->shared_bytes = Expr(0);
    auto replaced = task::replace_plan(source, subject.candidate.file, plan);
    if (!replaced) return std::nullopt;
    return Rewritten{*std::move(replaced), idea};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_warp_shuffle() { return std::make_unique<WarpShuffle>(); }

}  // namespace kp::propose
