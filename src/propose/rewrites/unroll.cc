// SPDX-License-Identifier: Apache-2.0
// Sees: an innermost counted loop that combines something into accumulators (sum, max, min, fmaf);
//   one whose turns do something else; an element-wise kernel whose threads load little each.
// Does: works on 4 or 8 turns side by side with an accumulator each, loads first, and on the rest
//   one by one; unrolls the loop by pragma; gives each thread of an element-wise kernel 4 elements
//   a block apart. A sum in another order rounds differently: within the class, the harness judges.
// Refuses: loops that leave early, are short and of constant length, or are unrolled already;
//   turns that depend on each other otherwise, store, or have effects that are not understood.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/elementwise.h"
#include "propose/jam.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/statements.h"
#include "task/task.h"

namespace kp::propose {
namespace {

constexpr int kFewTurns = 8;            // the compiler unrolls these itself
constexpr std::size_t kMostBody = 600;  // characters of a loop's body that unrolling may repeat
constexpr std::size_t kMostLoads = 8;   // of one turn: more are in flight together already

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool plain_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> kTypes{
      "float", "double", "int", "unsigned", "unsigned int", "long long", "unsigned long long",
      "size_t"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

/// Declares an accumulator for each turn.
std::string copies(const Jam& jam, const Accumulator& accumulator, int turns) {
  // What the initialiser leaves out is zero.
  std::string values = accumulator.name;
  for (int turn = 1; turn < turns && is_idempotent(accumulator.combine); ++turn) {
    values += ", " + accumulator.name;
  }
  return fmt::format("{} {}[{}] = {{{}}};", accumulator.type, jam.turns_of(accumulator.name), turns,
                     values);
}

std::string joined(const Jam& jam, const Accumulator& accumulator, int turns) {
  const std::string copy = jam.turns_of(accumulator.name);
  std::string value = copy + "[0]";
  for (int turn = 1; turn < turns; ++turn) {
    value = combined(accumulator.combine, value, fmt::format("{}[{}]", copy, turn));
  }
  return fmt::format("{} = {};", accumulator.name, value);
}

/// Loops whose turns meet only in accumulators.
class AccumulatingLoop {
 public:
  AccumulatingLoop(const SourceTree& tree, const SyntaxNode& kernel, const CountedLoop& loop)
      : tree_(tree),
        loop_(loop),
        step_(is_number(loop.step) ? loop.step : loop.index + "_step"),
        jam_(tree, kernel, loop.index, step_) {
    type_ = loop.type;
    if (type_.empty() && declared_once(tree, kernel, loop.index)) {
      type_ = declaration_of(tree, kernel, loop.index).field("type").text();
    }
    const bool free = is_number(step_) || !mentions(tree, kernel, step_);
    fits_ = free && plain_type(type_) && jam_.read(loop.statements, false) &&
            !jam_.accumulators().empty() && jam_.loads() > 0;
    for (const Accumulator& a : jam_.accumulators()) fits_ = fits_ && plain_type(a.type);
  }

  bool fits() const { return fits_; }

  std::string text(int turns) const {
    const std::size_t column = column_of(tree_, loop_.statement);
    const std::string in(column + 2, ' '), &index = loop_.index;
    const std::string sign = loop_.inclusive ? "<=" : "<", bound(loop_.bound.text());
    std::string text = "{\n";
    for (const Accumulator& a : jam_.accumulators()) text += in + copies(jam_, a, turns) + "\n";
    if (!is_number(step_))
      text += fmt::format("{}const {} {} = {};\n", in, type_, step_, loop_.step);
    text += fmt::format("{}{}{}{} = {};\n", in, loop_.type, loop_.type.empty() ? "" : " ", index,
                        loop_.first.text());
    text += fmt::format("{}for (; {} + {} {} {}; {} += {}) {{\n", in, index, times(turns - 1), sign,
                        bound, index, times(turns));
    text += jam_.text(turns, column + 4) + in + "}\n";
    for (const Accumulator& a : jam_.accumulators()) text += in + joined(jam_, a, turns) + "\n";
    text += fmt::format("{}for (; {} {} {}; {} += {}) {{\n{}\n{}}}\n", in, index, sign, bound,
                        index, step_, reindented(text_of_body(tree_, loop_), column + 4), in);
    return text + std::string(column, ' ') + "}";
  }

 private:
  std::string times(int turns) const {
    if (step_ == "1") return std::to_string(turns);
    return fmt::format("{} * {}", turns, step_);
  }

  const SourceTree& tree_;
  const CountedLoop& loop_;
  std::string step_, type_;
  Jam jam_;
  bool fits_ = false;
};

/// An element-wise kernel whose threads take several elements, a block apart.
class SeveralElements {
 public:
  static constexpr int kElements = 4;

  SeveralElements(const Subject& subject, const Elementwise& shape)
      : subject_(subject),
        shape_(shape),
        step_(shape.index.name + "_step"),
        jam_(subject.tree, shape.kernel, shape.index.name, step_),
        type_(shape.index.declaration.field("type").text()) {}

  std::optional<Rewritten> rewrite() {
    const std::string kernel(name_of_kernel(shape_.kernel));
    Plan plan = subject_.candidate.plan;
    Launch* launch = only_launch(plan, kernel);
    const auto grid = launch ? divisor_times(launch->grid.x, kElements) : std::nullopt;
    if (!grid || binds_twice(*launch) || !fits()) return std::nullopt;
    launch->grid.x = *grid;
    auto source = task::replace_plan(text(), subject_.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("gives each thread of {} {} elements a block apart, loads first",
                                 kernel, kElements)};
  }

 private:
  static bool binds_twice(const Launch& launch) {
    std::vector<std::string> names;
    for (const Argument& argument : launch.arguments) {
      const auto* name = std::get_if<std::string>(&argument.value);
      if (name && std::find(names.begin(), names.end(), *name) != names.end()) return true;
      if (name) names.push_back(*name);
    }
    return false;
  }

  bool fits() {
    const SourceTree& tree = subject_.tree;
    if (!plain_type(type_) || mentions(tree, shape_.kernel, step_)) return false;
    if (may_change(tree, shape_.guard, shape_.index.name)) return false;
    for (const SyntaxNode& part : tree.all(shape_.kernel.field("body"), "field_expression")) {
      // Elements of one thread belong to different blocks of the old grid.
      const bool inside = part.begin() >= shape_.index.declaration.begin() &&
                          part.end() <= shape_.index.declaration.end();
      if (!inside && (part.text() == "blockIdx.x" || part.text() == "gridDim.x")) return false;
    }
    return jam_.read(shape_.body, true) && jam_.accumulators().empty() && jam_.loads() > 0 &&
           jam_.loads() <= kMostLoads && !jam_.stored().empty();
  }

  std::string text() const {
    const SyntaxNode block = shape_.kernel.field("body");
    const std::string& index = shape_.index.name;
    Edits edits;
    edits.replace(shape_.index.declaration,
                  fmt::format("{} {} = blockIdx.x * (blockDim.x * {}) + threadIdx.x;", type_, index,
                              kElements));
    const auto& source = subject_.tree.source();
    edits.replace(
        shape_.guard.begin(), block.end() - 1,
        fmt::format(
            "const {0} {1} = blockDim.x;\n  if ({2} + {3} * {1} < {4}) {{\n{5}  }} else {{\n"
            "    for (; {2} < {4}; {2} += {1}) {{\n{6}\n    }}\n  }}\n",
            type_, step_, index, kElements - 1, shape_.bound, jam_.text(kElements, 4),
            reindented(source.substr(shape_.body_begin, shape_.body_end - shape_.body_begin), 6)));
    return edits.apply(source);
  }

  const Subject& subject_;
  const Elementwise& shape_;
  std::string step_;
  Jam jam_;
  std::string type_;
};

class Unroll final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"unroll", diagnose::action::kUnroll,
            "works on several turns of a loop side by side, with an accumulator each",
            "an innermost counted loop whose turns are independent or meet only in sums, maxima or "
            "minima, or an element-wise kernel"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      if (add_accumulators(subject, kernel, versions)) continue;
      if (add_pragmas(subject, kernel, versions)) continue;
      const auto shape = match_elementwise(subject.tree, kernel);
      auto version = shape ? SeveralElements(subject, *shape).rewrite() : std::nullopt;
      if (version) versions.push_back(*std::move(version));
    }
    if (versions.empty()) {
      return Refusal{"no counted loop has independent turns, and no kernel is element-wise"};
    }
    return versions;
  }

 private:
  static std::vector<CountedLoop> loops_of(const Subject& subject, const SyntaxNode& kernel) {
    auto loops = counted_loops(subject.tree, kernel.field("body"));
    std::erase_if(loops, [&](const CountedLoop& loop) {
      const auto turns = trip_count(subject.tree, loop, subject.candidate.tune);
      return !is_innermost(subject.tree, loop) || unroll_pragma(loop).valid() ||
             has_continue(subject.tree, loop) || (turns && *turns <= kFewTurns) ||
             loop.body.text().size() > kMostBody;
    });
    return loops;
  }

  static bool add_accumulators(const Subject& subject, const SyntaxNode& kernel,
                               std::vector<Rewritten>& versions) {
    const auto loops = loops_of(subject, kernel);
    for (const int turns : {4, 8}) {
      Edits edits;
      for (const CountedLoop& loop : loops) {
        const AccumulatingLoop accumulating(subject.tree, kernel, loop);
        if (accumulating.fits()) edits.replace(loop.statement, accumulating.text(turns));
      }
      if (edits.empty()) return false;
      versions.push_back(
          {edits.apply(subject.tree.source()),
           fmt::format("works on {} turns of the loop of {} side by side, with an accumulator each",
                       turns, name_of_kernel(kernel))});
    }
    return true;
  }

  static bool add_pragmas(const Subject& subject, const SyntaxNode& kernel,
                          std::vector<Rewritten>& versions) {
    for (const int turns : {4, 8}) {
      Edits edits;
      for (const CountedLoop& loop : loops_of(subject, kernel)) {
        if (loop.statement.parent().type() != "compound_statement") continue;
        insert_unroll(edits, subject.tree, loop, turns);
      }
      if (edits.empty()) return false;
      versions.push_back(
          {edits.apply(subject.tree.source()),
           fmt::format("unrolls the inner loops of {} {} times", name_of_kernel(kernel), turns)});
    }
    return true;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_unroll() { return std::make_unique<Unroll>(); }

}  // namespace kp::propose
