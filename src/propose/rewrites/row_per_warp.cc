// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel in which one thread handles one row, with loops over the row that reduce it or
//   work on each of its elements: lanes then read rows that lie far apart.
// Does: gives each row a warp or a block; lanes take turns in the loops, accumulators are combined
//   by shuffles behind each reducing loop, and one lane stores what is stored outside the loops.
// Refuses: turns that depend on each other; an accumulator that its loop reads; an array that is
//   stored and read at other places; stores that the row's lanes could not tell apart; calls that
//   may have effects; other uses of the thread's index.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/collectives.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/row_work.h"

namespace kp::propose {
namespace {

/// Who works on a row.
struct Team {
  bool block = false;
  std::string lane, width;  // texts: rank within the team, size of the team
};

/// Writes the kernel for a team.
class RowWriter {
 public:
  RowWriter(const Subject& subject, const Elementwise& shape, const RowWork& work, Team team)
      : tree_(subject.tree),
        shape_(shape),
        work_(work),
        team_(std::move(team)),
        collectives_(subject.tree, shape.kernel) {}

  std::string source() {
    write_index();
    for (const DealtLoop& dealt : work_.dealt()) write_loop(dealt);
    for (const SyntaxNode& statement : work_.single()) {
      const bool alone = statement.parent().type() == "compound_statement";
      edits_.insert(statement.begin(),
                    fmt::format("{}if ({} == 0) ", alone ? "" : "{ ", team_.lane));
      if (!alone) edits_.insert(statement.end(), " }");
    }
    collectives_.insert_into(edits_);
    return edits_.apply(tree_.source());
  }

 private:
  void write_index() {
    const SyntaxNode value = shape_.index.value;
    if (team_.block) {
      edits_.replace(value, "blockIdx.x");
      return;
    }
    edits_.replace(value, "blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32");
    edits_.insert(shape_.index.declaration.end(),
                  fmt::format("\n  const int {} = threadIdx.x % 32;", team_.lane));
  }

  void write_loop(const DealtLoop& dealt) {
    const CountedLoop& loop = dealt.loop;
    const std::string step =
        loop.step == "1" ? team_.width : fmt::format("({}) * {}", loop.step, team_.width);
    const std::string offset =
        loop.step == "1" ? team_.lane : fmt::format("({}) * {}", loop.step, team_.lane);
    const bool from_zero = loop.first.text() == "0";
    edits_.replace(loop.first,
                   from_zero ? offset : fmt::format("({}) + {}", loop.first.text(), offset));
    edits_.replace(loop.statement.field("update"), fmt::format("{} += {}", loop.index, step));
    std::string before, after;
    for (const Accumulator& accumulator : dealt.accumulators) {
      if (!is_idempotent(accumulator.combine) && !starts_at_zero(accumulator, loop)) {
        before += fmt::format("if ({} != 0) {} = 0;\n  ", team_.lane, accumulator.name);
      }
      after += fmt::format("\n  {} = {};", accumulator.name, call(accumulator));
    }
    const SyntaxNode pragma = unroll_pragma(loop);
    edits_.insert(pragma.valid() ? pragma.begin() : loop.statement.begin(), before);
    edits_.insert(loop.statement.end(), after);
  }

  std::string call(const Accumulator& accumulator) {
    return team_.block
               ? collectives_.over_block(accumulator.combine, accumulator.type, accumulator.name)
               : collectives_.over_warp(accumulator.combine, accumulator.type, accumulator.name);
  }

  /// Declared as zero among the statements before the loop, and not named in between.
  bool starts_at_zero(const Accumulator& accumulator, const CountedLoop& loop) const {
    const SyntaxNode declaration = declaration_of(tree_, shape_.kernel, accumulator.name);
    if (!(declaration.parent() == loop.statement.parent())) return false;
    for (const SyntaxNode& declarator : tree_.all(declaration, "init_declarator")) {
      const std::string_view zero = declarator.field("value").text();
      if (declarator.field("declarator").text() != accumulator.name) continue;
      if (zero.find_first_not_of("0.fFuUlL") != std::string_view::npos) return false;
      const auto all = mentions_of(tree_, shape_.kernel, accumulator.name);
      return std::none_of(all.begin(), all.end(), [&](const SyntaxNode& mention) {
        return mention.begin() >= declaration.end() && mention.end() <= loop.statement.begin();
      });
    }
    return false;
  }

  const SourceTree& tree_;
  const Elementwise& shape_;
  const RowWork& work_;
  Team team_;
  Collectives collectives_;
  Edits edits_;
};

class RowPerWarp final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"row_per_warp", diagnose::action::kRowPerWarp,
            "gives each row a warp or a block instead of a thread",
            "one thread for each row, and loops over the row whose turns do not depend on each "
            "other"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto shape = match_elementwise(subject.tree, kernel);
      if (!shape || !uses_index_alone(subject.tree, *shape)) continue;
      auto versions = rewrite(subject, *shape);
      if (!versions.empty()) return versions;
    }
    return Refusal{
        "no kernel has one thread for each row and loops whose turns do not depend on each other"};
  }

 private:
  /// threadIdx, blockDim and blockIdx.x stand nowhere but in the index.
  static bool uses_index_alone(const SourceTree& tree, const Elementwise& shape) {
    for (const SyntaxNode& field : tree.all(shape.kernel.field("body"), "field_expression")) {
      const std::string_view text = field.text();
      const bool thread = text.starts_with("threadIdx") || text.starts_with("blockDim") ||
                          text.starts_with("gridDim") || text == "blockIdx.x";
      const SyntaxNode index = shape.index.declaration;
      if (thread && (field.begin() < index.begin() || field.end() > index.end())) return false;
    }
    return !may_change(tree, shape.kernel.field("body"), shape.index.name);
  }

  static std::vector<Rewritten> rewrite(const Subject& subject, const Elementwise& shape) {
    std::vector<Rewritten> versions;
    for (const bool outermost : {false, true}) {
      RowWork work(subject.tree, shape, outermost);
      if (!work.analyse() || !lanes_keep_apart(subject, shape, work)) continue;
      for (const bool block : {false, true}) {
        auto version = write(subject, shape, work, block);
        const bool again = std::any_of(versions.begin(), versions.end(), [&](const Rewritten& v) {
          return version && v.source == version->source;
        });
        if (version && !again) versions.push_back(*std::move(version));
      }
    }
    return versions;
  }

  static std::optional<Rewritten> write(const Subject& subject, const Elementwise& shape,
                                        const RowWork& work, bool block) {
    const std::string_view name = name_of_kernel(shape.kernel);
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name);
    if (!launch || !is_flat(*launch) || literal(launch->shared_bytes) != 0) return std::nullopt;
    const Expr rows = threads_along_x(*launch);
    const Expr threads = named(add_tune(subject, plan, "ROW_THREADS", {256, 128, 512}));
    launch->block.x = threads;
    launch->grid.x =
        block ? rows
              : joined(rows, Expr::Op::kCeilDiv, joined(threads, Expr::Op::kDivide, Expr(32)));
    Team team{block, "threadIdx.x", "blockDim.x"};
    if (!block) team = {block, unused_name(subject, "lane"), "32"};
    RowWriter writer(subject, shape, work, std::move(team));
    auto source = task::replace_plan(writer.source(), subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("gives each row of {} a {} instead of a thread", name,
                                 block ? "block" : "warp")};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_row_per_warp() { return std::make_unique<RowPerWarp>(); }

}  // namespace kp::propose
