// SPDX-License-Identifier: Apache-2.0
// Sees: an innermost counted loop that combines something into accumulators (sum, max, min, fmaf);
//   one whose turns do something else; an element-wise kernel whose threads load little each.
// Does: works on 4 or 8 turns side by side with an accumulator each, loads first, and on the rest
//   one by one; unrolls the loop by pragma; gives each thread of an element-wise kernel 4 elements
//   (several_elements.h). A sum in another order rounds differently: within the class, the harness
//   judges.
// Refuses: loops that leave early, are short and of constant length, or are unrolled already;
//   turns that depend on each other otherwise, store, or have effects that are not understood.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/jam.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/several_elements.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

constexpr int kFewTurns = 8;            // the compiler unrolls these itself
constexpr std::size_t kMostBody = 600;  // characters of a loop's body that unrolling may repeat
constexpr int kElements = 4;            // of a thread of an element-wise kernel

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
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
    fits_ = free && is_number_type(type_) && jam_.read(loop.statements, false) &&
            !jam_.accumulators().empty() && jam_.loads() > 0;
    for (const Accumulator& a : jam_.accumulators()) fits_ = fits_ && is_number_type(a.type);
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
    text += jam_.text({turns, {}}, column + 4) + in + "}\n";
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
      if (!counted_loops(subject.tree, kernel.field("body")).empty()) continue;
      if (auto version = several_elements(subject, kernel, kElements))
        versions.push_back(*std::move(version));
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
