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

#include "propose/aliases.h"
#include "propose/catalog.h"
#include "propose/collectives.h"
#include "propose/deal.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/elementwise.h"
#include "propose/launches.h"
#include "propose/pointees.h"

namespace kp::propose {
namespace {

/// Who works on a row.
struct Team {
  bool block = false;
  std::string lane, width;  // texts: rank within the team, size of the team
};

/// The walk over what a thread does for its row: which loops are dealt out, what only one lane may
/// do.
class RowWork {
 public:
  RowWork(const SourceTree& tree, const Elementwise& shape, bool outermost)
      : tree_(tree), shape_(shape), outermost_(outermost) {}

  /// False when something does not fit.
  bool analyse() {
    const bool fits = std::all_of(shape_.body.begin(), shape_.body.end(),
                                  [this](const SyntaxNode& s) { return visit(s); });
    return fits && !dealt_.empty();
  }

  const std::vector<DealtLoop>& dealt() const { return dealt_; }
  const std::vector<SyntaxNode>& single() const { return single_; }

 private:
  bool visit(const SyntaxNode& statement) {
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
      return is_pure(tree_, statement.field("condition")) &&
             visit(statement.field("consequence")) && (!other.valid() || visit(other));
    }
    if (type == "for_statement") return visit_loop(statement);
    return type == "expression_statement" && visit_expression(statement);
  }

  /// Every lane would have its own copy of an array, but only its own turns in it.
  bool visit_declaration(const SyntaxNode& declaration) const {
    return is_pure(tree_, declaration) && tree_.all(declaration, "array_declarator").empty() &&
           tree_.all(declaration, "reference_declarator").empty() &&
           declaration.text().find("static") == std::string_view::npos;
  }

  /// A loop is dealt out, or every lane runs it and shares the loops inside.
  bool visit_loop(const SyntaxNode& statement) {
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

  bool has_inner_work(const SyntaxNode& statement) const {
    const auto inner = tree_.all(statement.field("body"), "for_statement");
    return std::any_of(inner.begin(), inner.end(), [this](const SyntaxNode& loop) {
      const auto dealt = deal_out(tree_, shape_.kernel, loop);
      return dealt && dealt->side_by_side && loop.parent().type() == "compound_statement";
    });
  }

  bool visit_expression(const SyntaxNode& statement) {
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

  const SourceTree& tree_;
  const Elementwise& shape_;
  bool outermost_;
  std::vector<DealtLoop> dealt_;
  std::vector<SyntaxNode> single_;  // statements for one lane
};

bool lies_in(const SyntaxNode& inner, const SyntaxNode& outer) {
  return inner.begin() >= outer.begin() && inner.end() <= outer.end();
}

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
      if (thread && !lies_in(field, shape.index.declaration)) return false;
    }
    return !may_change(tree, shape.kernel.field("body"), shape.index.name);
  }

  static std::vector<Rewritten> rewrite(const Subject& subject, const Elementwise& shape) {
    std::vector<Rewritten> versions;
    for (const bool outermost : {false, true}) {
      RowWork work(subject.tree, shape, outermost);
      if (!work.analyse() || !Ownership(subject, shape, work).holds()) continue;
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
