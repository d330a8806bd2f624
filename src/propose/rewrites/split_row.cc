// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel in which one thread handles one row with loops of constant length over the
//   elements of the row, often inside a loop over other rows, so that there are few threads and
//   each has long chains of dependent work.
// Does: lets a group of lanes handle a row: each lane takes every LANES-th turn of those loops and
//   keeps its share of local arrays; sums are combined by shuffles within the group, and one lane
//   stores what is stored outside the loops. Everything else each lane of the group does alike.
// Refuses: loops whose turns depend on each other; local arrays that are used in any other way than
//   one element a turn; memory that is stored and loaded; blocks that are not whole warps.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

constexpr std::int64_t kFewestTurns = 16;  // fewer are not worth a shuffle
constexpr std::int64_t kLaneChoices[] = {8, 16, 32, 4};

/// A local array of which each lane keeps a share.
struct SharedOut {
  std::string name;
  SyntaxNode size;
  std::int64_t extent = 0;
};

/// A loop of constant length whose turns the lanes of a group take.
struct Dealt {
  DealtLoop deal;
  std::int64_t turns = 0;
  std::vector<SyntaxNode> elements;  // uses of arrays that are shared out
};

class Splitting {
 public:
  Splitting(const Subject& subject, const Elementwise& shape)
      : subject_(subject), tree_(subject.tree), shape_(shape) {}

  /// False when something does not fit; then why() says what.
  bool analyse() {
    if (!find_arrays()) return false;
    for (const SyntaxNode& statement : shape_.body) {
      if (!visit(statement)) return false;
    }
    if (dealt_.empty()) return no("it has no loop of constant length that lanes could share");
    return check_arrays() && check_memory() && check_built_ins();
  }

  const std::string& why() const { return why_; }
  const std::vector<SharedOut>& arrays() const { return arrays_; }
  const std::vector<Dealt>& dealt() const { return dealt_; }
  const std::vector<SyntaxNode>& single() const { return single_; }

  /// Numbers of lanes that divide every loop, best first.
  std::vector<std::int64_t> lanes() const {
    std::vector<std::int64_t> lanes;
    for (const std::int64_t choice : kLaneChoices) {
      const bool divides = std::all_of(dealt_.begin(), dealt_.end(),
                                       [&](const Dealt& d) { return d.turns % choice == 0; });
      if (divides) lanes.push_back(choice);
    }
    return lanes;
  }

 private:
  bool no(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool find_arrays() {
    for (const SyntaxNode& declarator :
         tree_.all(shape_.kernel.field("body"), "array_declarator")) {
      const SyntaxNode name = declarator.field("declarator"), size = declarator.field("size");
      const auto extent =
          size.valid() ? constant_integer(tree_, size, subject_.candidate.tune) : std::nullopt;
      const bool plain = declarator.parent().type() == "declaration" &&
                         name.type() == "identifier" && extent &&
                         declared_once(tree_, shape_.kernel, name.text());
      if (!plain) return no("a local array has a value from the start or no constant length");
      arrays_.push_back({std::string(name.text()), size, *extent});
    }
    return true;
  }

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
      return (is_pure(tree_, statement.field("condition")) || no("a condition has effects")) &&
             visit(statement.field("consequence")) && (!other.valid() || visit(other));
    }
    if (type == "for_statement") return visit_loop(statement);
    if (type == "expression_statement") return visit_expression(statement);
    return no("it has a statement that lanes cannot share");
  }

  bool visit_declaration(const SyntaxNode& declaration) {
    const std::string_view text = declaration.text();
    const bool plain = is_pure(tree_, declaration) &&
                       tree_.all(declaration, "reference_declarator").empty() &&
                       text.find("static") == std::string_view::npos &&
                       text.find("volatile") == std::string_view::npos;
    return plain || no("a declaration is not plain");
  }

  bool visit_loop(const SyntaxNode& statement) {
    const auto loop = match_counted_loop(tree_, statement);
    if (!loop) return no("a loop does not count");
    const auto turns = trip_count(tree_, *loop, subject_.candidate.tune);
    const bool fits = turns && *turns >= kFewestTurns && loop->first.text() == "0" &&
                      loop->step == "1" && !loop->type.empty() && !has_continue(tree_, *loop);
    auto deal = fits ? deal_out(tree_, shape_.kernel, statement) : std::nullopt;
    if (!deal)
      return (is_pure(tree_, loop->first) || no("a loop has effects")) && visit(loop->body);
    for (const Accumulator& sum : deal->accumulators) {
      if (!can_shuffle(sum.type)) return no("'" + sum.name + "' cannot be shuffled");
    }
    dealt_.push_back({*std::move(deal), *turns, {}});
    return true;
  }

  bool visit_expression(const SyntaxNode& statement) {
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

  Dealt* loop_around(const SyntaxNode& node) {
    for (Dealt& dealt : dealt_) {
      const SyntaxNode& loop = dealt.deal.loop.statement;
      if (node.begin() >= loop.begin() && node.end() <= loop.end()) return &dealt;
    }
    return nullptr;
  }

  /// Every use is one element, that of the turn.
  bool check_arrays() {
    for (const SharedOut& array : arrays_) {
      for (const SyntaxNode& mention :
           mentions_of(tree_, shape_.kernel.field("body"), array.name)) {
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

  bool is_array(std::string_view name) const {
    return std::any_of(arrays_.begin(), arrays_.end(),
                       [name](const SharedOut& array) { return array.name == name; });
  }

  /// What is stored is never loaded: lanes of a group would have to wait for each other.
  bool check_memory() {
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

  bool check_built_ins() {
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

  const Subject& subject_;
  const SourceTree& tree_;
  const Elementwise& shape_;
  std::string why_;
  std::vector<SharedOut> arrays_;
  std::vector<Dealt> dealt_;
  std::vector<SyntaxNode> single_;  // stores for one lane
};

class Writer {
 public:
  Writer(const Subject& subject, const Elementwise& shape, const Splitting& work, std::string lanes)
      : tree_(subject.tree),
        shape_(shape),
        work_(work),
        lanes_(std::move(lanes)),
        lane_(unused_name(subject, "kp_lane")),
        turn_(unused_name(subject, "kp_turn")) {}

  std::string source() {
    edits_.replace(shape_.index.value, fmt::format("({}) / {}", shape_.index.value.text(), lanes_));
    edits_.insert(shape_.index.declaration.end(),
                  fmt::format("\n  const int {} = threadIdx.x % {};", lane_, lanes_));
    for (const SharedOut& array : work_.arrays()) {
      edits_.replace(array.size, fmt::format("{} / {}", array.size.text(), lanes_));
    }
    for (const Dealt& dealt : work_.dealt()) write_loop(dealt);
    for (const SyntaxNode& statement : work_.single()) {
      // Braces, lest an else that follows belongs to this if.
      edits_.insert(statement.begin(), fmt::format("{{ if ({} == 0) ", lane_));
      edits_.insert(statement.end(), " }");
    }
    std::string functions;
    for (const auto& [signature, text] : functions_) functions += text;
    edits_.insert(place_before(tree_, shape_.kernel), functions);
    return edits_.apply(tree_.source());
  }

 private:
  void write_loop(const Dealt& dealt) {
    const CountedLoop& loop = dealt.deal.loop;
    const SyntaxNode pragma = unroll_pragma(loop);
    const std::size_t begin = pragma.valid() ? pragma.begin() : loop.statement.begin();
    const bool block = loop.body.type() == "compound_statement";
    std::string head = "{\n", tail;
    for (const Accumulator& sum : dealt.deal.accumulators) {
      if (!is_idempotent(sum.combine))
        head += fmt::format("if ({} != 0) {} = 0;\n", lane_, sum.name);
      tail += fmt::format("\n{} = {}({});", sum.name, function(sum), sum.name);
    }
    head += fmt::format(
        "#pragma unroll\nfor (int {0} = 0; {0} < {1} / {2}; ++{0}) {{\n"
        "  const {3} {4} = {0} * {2} + {5};\n",
        turn_, dealt.turns, lanes_, loop.type, loop.index, lane_);
    edits_.replace(begin, block ? loop.body.begin() + 1 : loop.body.begin(), head);
    for (const SyntaxNode& element : dealt.elements) {
      edits_.replace(element.field("indices"), "[" + turn_ + "]");
    }
    edits_.insert(loop.statement.end(), (block ? "" : "\n}") + tail + "\n}");
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
  const Splitting& work_;
  std::string lanes_, lane_, turn_;
  std::map<std::string, std::string> functions_;
  Edits edits_;
};

class SplitRow final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"split_row", diagnose::action::kMoreBlocks,
            "lets several lanes handle a row that one thread handled, each with a share of its "
            "elements",
            "one thread for each row, and loops of constant length over its elements whose turns "
            "do not depend on each other"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::string why = "no kernel has one thread for each row under a bounds check";
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto shape = match_elementwise(subject.tree, kernel);
      if (!shape) continue;
      Splitting work(subject, *shape);
      if (!work.analyse()) {
        why = work.why();
        continue;
      }
      if (auto version = split(subject, *shape, work)) return std::vector{*std::move(version)};
      why = "its blocks are not whole warps along x, or its loops are too odd to share";
    }
    return Refusal{why};
  }

 private:
  static std::optional<Rewritten> split(const Subject& subject, const Elementwise& shape,
                                        const Splitting& work) {
    const std::string_view name = name_of_kernel(shape.kernel);
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name);
    if (work.lanes().empty() || !launch || !has_whole_warps(plan, *launch) || launch->cluster ||
        launch->cooperative) {
      return std::nullopt;
    }
    const std::string lanes = add_tune(subject, plan, "LANES", work.lanes());
    launch->grid.x = joined(joined(threads_along_x(*launch), Expr::Op::kMultiply, named(lanes)),
                            Expr::Op::kCeilDiv, launch->block.x);
    auto source = task::replace_plan(Writer(subject, shape, work, lanes).source(),
                                     subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{
        *std::move(source),
        fmt::format("lets a group of {} lanes share each row of {}", work.lanes().front(), name)};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_split_row() { return std::make_unique<SplitRow>(); }

}  // namespace kp::propose
