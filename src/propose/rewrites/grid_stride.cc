// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel whose threads work on one element each, or load one element into a reduction of
//   their block.
// Does: lets each thread go through the grid in strides, so that fewer threads do the same work:
//   less starting of blocks, fewer reductions and atomics, several loads in flight.
// Refuses: work that waits for other threads or passes something on but by accumulating; kernels
//   that use the block's index elsewhere; kernels that leave early in other ways.
#include <fmt/format.h>

#include <algorithm>

#include "propose/barrier_tree.h"
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/guarded_work.h"
#include "propose/launches.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// `v = i < n ? E : 0` whose value is only summed over threads afterwards.
struct FirstLoad {
  LocalVariable index;
  SyntaxNode statement, target, choice;  // target invalid in a declaration
  std::string name, type, bound;         // of v; type of its values
  bool declares = false;
};

class GridStride final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"grid_stride", diagnose::action::kGridStride,
            "lets each thread work on several elements, a grid apart",
            "one element for each thread of a one-dimensional block under a check of its index, or "
            "loaded into a sum of the block"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto block = FlatBlock::of(subject, kernel);
      if (!block || !only_launch(subject.candidate.plan, name_of_kernel(kernel))) continue;
      auto versions = rewrite(subject, kernel, *block);
      if (!versions.empty()) return versions;
    }
    return Refusal{
        "no kernel gives each thread of a one-dimensional block one element that it could work on "
        "after another"};
  }

 private:
  static std::vector<Rewritten> rewrite(const Subject& subject, const SyntaxNode& kernel,
                                        const FlatBlock& block) {
    Edits edits;
    const auto work = match_guarded_work(subject.tree, kernel, block);
    bool goes_on = false;
    if (work && may_repeat(subject.tree, *work)) {
      write_grid_stride(subject.tree, *work, block, edits);
      goes_on = !work->returns && !(statements_of(kernel.field("body")).back() == work->guard);
    } else if (const auto load = match_first_load(subject.tree, kernel, block)) {
      write_first_load(subject.tree, *load, block, edits);
      goes_on = true;
    } else {
      return {};
    }
    // What a block does behind the loop is worth doing seldom.
    std::vector<Rewritten> versions;
    const std::string source = edits.apply(subject.tree.source());
    for (const bool limited : {goes_on, !goes_on}) {
      auto version = launch(subject, name_of_kernel(kernel), source, limited);
      if (version) versions.push_back(*std::move(version));
    }
    return versions;
  }

  static std::optional<Rewritten> launch(const Subject& subject, std::string_view kernel,
                                         const std::string& source, bool limited) {
    Plan plan = subject.candidate.plan;
    std::string how = "a few blocks for each multiprocessor go through the grid";
    if (limited) {
      limit_grid(subject, plan, kernel);
    } else {
      Launch* launch = only_launch(plan, kernel);
      const Expr threads = threads_along_x(*launch), block = launch->block.x;
      const Expr items = named(add_tune(subject, plan, "ITEMS", {4, 8, 2, 16}));
      launch = only_launch(plan, kernel);
      launch->grid.x =
          joined(threads, Expr::Op::kCeilDiv, joined(block, Expr::Op::kMultiply, items));
      how = "each thread works on several elements";
    }
    auto replaced = task::replace_plan(source, subject.candidate.file, plan);
    if (!replaced) return std::nullopt;
    return Rewritten{*std::move(replaced), fmt::format("{}: {}", kernel, how)};
  }

  static std::optional<FirstLoad> match_first_load(const SourceTree& tree, const SyntaxNode& kernel,
                                                   const FlatBlock& block) {
    const SyntaxNode body = kernel.field("body");
    if (!tree.all(body, "return_statement").empty()) return std::nullopt;
    for (const LocalVariable& local : initialised_locals(tree, body)) {
      if (!(local.declaration.parent() == body) || !block.is_grid_thread(local.value)) continue;
      if (!uses_block_in_index_alone(tree, kernel, local)) continue;
      for (const SyntaxNode& statement : statements_of(body)) {
        auto load = read_load(tree, local, statement, block);
        if (!load || !index_stands_there_alone(tree, body, *load)) continue;
        if (is_summed(tree, kernel, block, *load)) return load;
      }
    }
    return std::nullopt;
  }

  static std::optional<FirstLoad> read_load(const SourceTree& tree, const LocalVariable& index,
                                            const SyntaxNode& statement, const FlatBlock& block) {
    FirstLoad load;
    load.index = index;
    load.statement = statement;
    load.declares = statement.type() == "declaration";
    SyntaxNode value;
    if (load.declares) {
      const SyntaxNode declarator = statement.field("declarator");
      if (tree.all(statement, "init_declarator").size() != 1) return std::nullopt;
      load.name = declarator.field("declarator").text();
      value = declarator.field("value");
    } else if (statement.type() == "expression_statement" && statement.children().size() == 1) {
      const SyntaxNode assignment = statement.children().front();
      if (assignment.type() != "assignment_expression" || operator_of(assignment) != "=")
        return std::nullopt;
      load.target = assignment.field("left");
      const bool element = load.target.type() == "subscript_expression";
      load.name = element ? load.target.field("argument").text() : load.target.text();
      value = assignment.field("right");
    }
    if (!value.valid()) return std::nullopt;
    load.choice = without_parentheses(value);
    if (load.choice.type() != "conditional_expression") return std::nullopt;
    const SyntaxNode bound = bound_below(tree, load.choice.field("condition"), index.name);
    const std::string_view zero = load.choice.field("alternative").text();
    if (!bound.valid() || !block.is_uniform(bound) || !is_pure(tree, load.choice) ||
        zero.find_first_not_of("0.fFuUlL") != std::string_view::npos) {
      return std::nullopt;
    }
    load.bound = bound.text();
    return load;
  }

  static bool index_stands_there_alone(const SourceTree& tree, const SyntaxNode& body,
                                       const FirstLoad& load) {
    const auto all = mentions_of(tree, body, load.index.name);
    return std::all_of(all.begin(), all.end(), [&](const SyntaxNode& mention) {
      const auto inside = [&](const SyntaxNode& node) {
        return mention.begin() >= node.begin() && mention.end() <= node.end();
      };
      return inside(load.index.declaration) || inside(load.statement);
    });
  }

  /// By a tree over the array that it is stored in, or by one of our own functions.
  static bool is_summed(const SourceTree& tree, const SyntaxNode& kernel, const FlatBlock& block,
                        FirstLoad& load) {
    const SyntaxNode declaration = declaration_of(tree, kernel, load.name);
    if (!declaration.valid() || !declared_once(tree, kernel, load.name)) return false;
    load.type = declaration.field("type").text();
    if (load.target.valid() && load.target.type() == "subscript_expression") {
      const auto indices = load.target.field("indices").children();
      if (indices.size() != 1 || !block.is_thread(indices.front())) return false;
      return is_summed_by_tree(tree, kernel, block, load);
    }
    const auto all = mentions_of(tree, kernel.field("body"), load.name);
    const auto next = std::find_if(all.begin(), all.end(), [&](const SyntaxNode& mention) {
      return mention.begin() >= load.statement.end();
    });
    if (next == all.end()) return false;
    // v = kp_block_add(v): the value is on its left.
    const std::string statement = squeezed(next->parent().text());
    return statement == load.name + "=kp_block_add(" + load.name + ")" ||
           statement == load.name + "=kp_warp_add(" + load.name + ")";
  }

  /// Between the store and the tree the array is left alone.
  static bool is_summed_by_tree(const SourceTree& tree, const SyntaxNode& kernel,
                                const FlatBlock& block, const FirstLoad& load) {
    for (const BarrierTree& one : barrier_trees(tree, kernel, block)) {
      if (one.begin < load.statement.end()) continue;
      const auto all = mentions_of(tree, kernel.field("body"), load.name);
      const bool between = std::any_of(all.begin(), all.end(), [&](const SyntaxNode& mention) {
        return mention.begin() >= load.statement.end() && mention.end() <= one.begin;
      });
      return !between && std::any_of(one.arrays.begin(), one.arrays.end(), [&](const auto& array) {
        return array.name == load.name && array.combine == Combine::kAdd;
      });
    }
    return false;
  }

  static void write_first_load(const SourceTree& tree, const FirstLoad& load,
                               const FlatBlock& block, Edits& edits) {
    const std::string zero(load.choice.field("alternative").text());
    const std::string header = grid_stride_header(load.index, load.bound, block);
    const std::string_view value = load.choice.field("consequence").text();
    const bool element = load.target.valid() && load.target.type() == "subscript_expression";
    const std::string sum = element ? load.name + "_sum" : load.name;
    const std::string type = load.declares || element ? load.type + " " : "";
    std::string text =
        fmt::format("{}{} = {};\n  {}{} += {};", type, sum, zero, header, sum, value);
    if (element) text += fmt::format("\n  {} = {};", load.target.text(), sum);
    remove_declaration(tree, load.index.declaration, edits);
    edits.replace(load.statement, text);
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_grid_stride() { return std::make_unique<GridStride>(); }

}  // namespace kp::propose
