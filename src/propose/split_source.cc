// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "propose/collectives.h"
#include "propose/edit.h"
#include "propose/launches.h"
#include "propose/pattern.h"
#include "propose/row_split.h"
#include "propose/row_stage.h"
#include "propose/statements.h"
#include "task/task.h"

namespace kp::propose {
namespace {

class Writer {
 public:
  Writer(const Subject& subject, const Elementwise& shape, const RowSplit& work, std::string lanes,
         const std::optional<RowLoop>& staged)
      : tree_(subject.tree),
        shape_(shape),
        work_(work),
        staged_(staged),
        lanes_(std::move(lanes)),
        lane_(unused_name(subject, "kp_lane")),
        turn_(unused_name(subject, "kp_turn")) {}

  std::string source() {
    write_index();
    for (const SharedOut& array : work_.arrays()) {
      edits_.replace(array.size, fmt::format("{} / {}", array.size.text(), lanes_));
    }
    for (const Dealt& dealt : work_.dealt()) write_loop(dealt);
    for (const SyntaxNode& statement : work_.single()) {
      guard(statement, lane_ + " == 0" + (staged_ ? " && kp_inside" : ""));
    }
    if (staged_) write_row_stage(tree_, *staged_, edits_);
    std::string functions;
    for (const auto& [signature, text] : functions_) functions += text;
    edits_.insert(place_before(tree_, shape_.kernel), functions);
    return edits_.apply(tree_.source());
  }

 private:
  void guard(const SyntaxNode& statement, const std::string& condition) {
    // Braces, lest an else that follows belongs to this if.
    edits_.insert(statement.begin(), fmt::format("{{ if ({}) ", condition));
    edits_.insert(statement.end(), " }");
  }

  void write_index() {
    const SyntaxNode declaration = shape_.index.declaration;
    const std::string lane = fmt::format("const int {} = threadIdx.x % {};", lane_, lanes_);
    if (!staged_) {
      edits_.replace(shape_.index.value,
                     fmt::format("({}) / {}", shape_.index.value.text(), lanes_));
      edits_.insert(declaration.end(), "\n  " + lane);
      return;
    }
    const std::string& name = shape_.index.name;
    const std::string type(declaration.field("type").text());
    edits_.replace(declaration, filled(R"($LANE
  const $TYPE kp_own = ($VALUE) / $LANES;
  // Threads without a row of their own help to load and store nothing.
  const bool kp_inside = kp_own < $BOUND;
  const $TYPE $NAME = kp_inside ? kp_own : $BOUND - 1;)",
                                       {{"LANE", lane},
                                        {"TYPE", type},
                                        {"VALUE", std::string(shape_.index.value.text())},
                                        {"LANES", lanes_},
                                        {"BOUND", "(" + shape_.bound + ")"},
                                        {"NAME", name}}));
    const bool encloses = shape_.body_begin < shape_.guard.end();
    const SyntaxNode then = shape_.guard.field("consequence");
    const std::size_t next = tree_.source().find_first_not_of(" \n", shape_.guard.end());
    edits_.replace(shape_.guard.begin(), encloses ? then.begin() : next, "");
  }

  void write_loop(const Dealt& dealt) {
    const CountedLoop& loop = dealt.deal.loop;
    const SyntaxNode pragma = unroll_pragma(loop);
    const bool block = loop.body.type() == "compound_statement";
    const bool alone = loop.statement.parent().type() == "compound_statement";
    const std::string margin(indentation(tree_, loop.statement), ' ');
    std::string head = alone ? "" : "{\n" + margin, tail;
    for (const Accumulator& sum : dealt.deal.accumulators) {
      if (!is_idempotent(sum.combine)) {
        head += fmt::format("if ({} != 0) {} = 0;\n{}", lane_, sum.name, margin);
      }
      tail += fmt::format("\n{}{} = {}({});", margin, sum.name, function(sum), sum.name);
    }
    head += fmt::format(
        "// Lanes of the group take turns.\n#pragma unroll\n"
        "{6}for (int {0} = 0; {0} < {1} / {2}; ++{0}) {{\n"
        "{6}  const {3} {4} = {0} * {2} + {5};",
        turn_, dealt.turns, lanes_, loop.type, loop.index, lane_, margin);
    edits_.replace(pragma.valid() ? pragma.begin() : loop.statement.begin(),
                   block ? loop.body.begin() + 1 : loop.body.begin(),
                   head + (block ? "" : "\n" + margin + "  "));
    for (const SyntaxNode& element : dealt.elements) {
      edits_.replace(element.field("indices"), "[" + turn_ + "]");
    }
    if (staged_) guard_stores(dealt);
    edits_.insert(loop.statement.end(),
                  (block ? "" : "\n" + margin + "}") + tail + (alone ? "" : "\n" + margin + "}"));
  }

  void guard_stores(const Dealt& dealt) {
    for (const DealtStore& store : dealt.deal.stores) {
      const auto& arrays = work_.arrays();
      const bool own = std::any_of(arrays.begin(), arrays.end(), [&](const SharedOut& array) {
        return array.name == store.pointer;
      });
      SyntaxNode statement = store.element;
      while (statement.type() != "expression_statement") statement = statement.parent();
      if (!own) guard(statement, "kp_inside");
    }
  }

  std::string function(const Accumulator& sum) {
    std::string type = sum.type;
    std::replace(type.begin(), type.end(), ' ', '_');
    const std::string name = fmt::format("kp_group_{}_{}", name_of(sum.combine), type);
    functions_[name] = fmt::format(
        "/// Over the {0} lanes of a group; each gets the result.\n"
        "static __device__ __forceinline__ {1} {2}({1} value) {{\n"
        "  const unsigned lanes = 0xffffffffu >> (32 - {0}) << threadIdx.x % 32 / {0} * {0};\n"
        "  for (int offset = {0} / 2; offset > 0; offset /= 2) {{\n"
        "    value = {3};\n  }}\n  return value;\n}}\n\n",
        lanes_, sum.type, name,
        combined(sum.combine, "value", "__shfl_xor_sync(lanes, value, offset)"));
    return name;
  }

  const SourceTree& tree_;
  const Elementwise& shape_;
  const RowSplit& work_;
  const std::optional<RowLoop>& staged_;
  std::string lanes_, lane_, turn_;
  std::map<std::string, std::string> functions_;
  Edits edits_;
};

std::optional<Rewritten> split(const Subject& subject, const Elementwise& shape,
                               const RowSplit& work, const std::optional<RowLoop>& staged) {
  const std::string_view name = name_of_kernel(shape.kernel);
  Plan plan = subject.candidate.plan;
  Launch* launch = only_launch(plan, name);
  if (work.lanes().empty() || !launch || !has_whole_warps(plan, *launch) || launch->cluster ||
      launch->cooperative || literal(launch->shared_bytes) != 0) {
    return std::nullopt;
  }
  const std::string lanes = add_tune(subject, plan, "LANES", work.lanes());
  launch->grid.x = joined(joined(threads_along_x(*launch), Expr::Op::kMultiply, named(lanes)),
                          Expr::Op::kCeilDiv, launch->block.x);
  auto source = task::replace_plan(Writer(subject, shape, work, lanes, staged).source(),
                                   subject.candidate.file, plan);
  if (!source) return std::nullopt;
  return Rewritten{
      *std::move(source),
      fmt::format("lets a group of {} lanes share each row of {}{}", work.lanes().front(), name,
                  staged ? ", and blocks load common rows once" : "")};
}

}  // namespace

RewriteResult split_rows(const Subject& subject, bool unstaged) {
  std::string why = "no kernel has one thread for each row under a bounds check";
  for (const SyntaxNode& kernel : subject.tree.kernels()) {
    if (!concerns(subject, kernel)) continue;
    const auto shape = match_elementwise(subject.tree, kernel);
    if (!shape) continue;
    RowSplit work(subject, *shape);
    if (!work.analyse()) {
      why = work.why();
      continue;
    }
    std::vector<Rewritten> versions;
    const auto staged = work.row_loop();
    if (staged && can_be_staged(*staged)) {
      if (auto version = split(subject, *shape, work, staged)) versions.push_back(*version);
    }
    if (unstaged) {
      if (auto version = split(subject, *shape, work, {})) versions.push_back(*version);
    }
    if (!versions.empty()) return versions;
    why = unstaged || staged
              ? "its blocks are not whole warps along x, or its loops are too odd to share"
              : "the threads of a block need no rows in common";
  }
  return Refusal{why};
}

}  // namespace kp::propose
