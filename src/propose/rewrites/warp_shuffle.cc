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
#include "propose/own_slots.h"
#include "propose/pointees.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

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
