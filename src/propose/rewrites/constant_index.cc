// SPDX-License-Identifier: Apache-2.0
// Sees: an array of a thread that lives in local memory, because subscripts are not known when
//   compiling.
// Does: unrolls the loops of constant length whose indices are the subscripts; where subscripts
//   depend on values, moves the array to shared memory with a column for each thread, or chooses
//   among all elements of up to 8.
// Refuses: arrays whose address is taken or that are passed on; extents that are not constant;
//   loops of more than 64 turns; dynamic subscripts in several dimensions; shared memory without a
//   flat block of literal size.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/local_array.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kMostTurns = 64, kMostChoices = 8, kMostSharedBytes = 48 * 1024;

/// A pragma that does not unroll the loop in full: `unroll 4`, `unroll 1`.
bool unrolls_in_part(const SyntaxNode& pragma) {
  return pragma.valid() && squeezed(pragma.text()) != "#pragmaunroll";
}

bool needs_unrolling(const CountedLoop& loop) {
  const SyntaxNode pragma = unroll_pragma(loop);
  return !pragma.valid() || unrolls_in_part(pragma);
}

void unroll(const SourceTree& tree, const std::vector<CountedLoop>& loops,
            std::vector<std::size_t>& done, Edits& edits) {
  for (const CountedLoop& loop : loops) {
    const std::size_t at = loop.statement.begin();
    if (std::find(done.begin(), done.end(), at) != done.end() || !needs_unrolling(loop)) continue;
    done.push_back(at);
    const SyntaxNode pragma = unroll_pragma(loop);
    if (pragma.valid()) {
      edits.replace(pragma, "#pragma unroll\n");
    } else {
      insert_unroll(edits, tree, loop, 0);
    }
  }
}

/// The statement `array[subscript] op= value;` around a use that is written; invalid when the use
/// is written in another way.
SyntaxNode store_of(const SyntaxNode& use) {
  const SyntaxNode expression = use.parent();
  const bool assigns =
      (expression.type() == "assignment_expression" && expression.field("left") == use) ||
      expression.type() == "update_expression";
  if (!assigns || expression.parent().type() != "expression_statement") return {};
  return expression.parent();
}

bool is_written(const SyntaxNode& use) {
  const SyntaxNode above = use.parent();
  return above.type() == "update_expression" ||
         (above.type() == "assignment_expression" && above.field("left") == use);
}

/// array[k] with k unknown: (k == 0 ? array[0] : k == 1 ? array[1] : array[2]).
std::string choice(const LocalArray& array, const SyntaxNode& use) {
  const std::string subscript(subscripts_of(use).front().text());
  const bool simple = subscripts_of(use).front().type() == "identifier";
  std::string text = "(";
  for (std::int64_t k = 0; k + 1 < array.extents[0]; ++k) {
    text += fmt::format("{} == {} ? {}[{}] : ", simple ? subscript : "(" + subscript + ")", k,
                        array.name, k);
  }
  return fmt::format("{}{}[{}])", text, array.name, array.extents[0] - 1);
}

bool can_choose(const SourceTree& tree, const LocalArray& array) {
  if (array.extents.size() != 1 || array.extents[0] > kMostChoices) return false;
  return std::all_of(array.unknown.begin(), array.unknown.end(), [&](const SyntaxNode& use) {
    if (!is_pure(tree, subscripts_of(use).front())) return false;
    if (!is_written(use)) return mentions_of(tree, use, array.name).size() == 1;
    const SyntaxNode store = store_of(use);
    // The value must not change what the subscript is made of, nor depend on another unknown use.
    return store.valid() && mentions_of(tree, store, array.name).size() == 1 &&
           (use.parent().type() == "update_expression" ||
            is_pure(tree, use.parent().field("right")));
  });
}

/// Replaces what is unknown by choices among constants.
void choose(const SourceTree& tree, const LocalArray& array, Edits& edits) {
  std::string slot = "slot", put = "put";
  while (mentions(tree, array.kernel, slot)) slot += "_";
  while (mentions(tree, array.kernel, put)) put += "_";
  for (const SyntaxNode& use : array.unknown) {
    if (!is_written(use)) {
      edits.replace(use, choice(array, use));
      continue;
    }
    const SyntaxNode store = store_of(use), right = use.parent().field("right");
    // The value is loaded once, and not where a slot was found.
    std::string text(store.text()), value;
    if (right.valid()) {
      value = fmt::format("    const auto {} = {};\n", put, right.text());
      text.replace(right.begin() - store.begin(), right.end() - right.begin(), put);
    }
    text.replace(use.begin() - store.begin(), use.end() - use.begin(),
                 fmt::format("{}[{}]", array.name, slot));
    edits.replace(
        store, fmt::format("{{\n{3}#pragma unroll\n    for (int {0} = 0; {0} < {1}; ++{0}) {{\n"
                           "      if ({0} == ({2})) {4}\n    }}\n  }}",
                           slot, array.extents[0], subscripts_of(use).front().text(), value, text));
  }
}

/// Threads of the only launch when its block is flat and literal.
std::optional<std::int64_t> flat_threads(const Plan& plan, std::string_view kernel) {
  const Launch* launch = only_launch(plan, kernel);
  if (!launch || literal(launch->block.y) != 1 || literal(launch->block.z) != 1)
    return std::nullopt;
  return literal(launch->block.x);
}

/// Moves the array to shared memory; false when it does not fit or has initial values.
bool move_to_shared(const Subject& subject, const LocalArray& array, Edits& edits) {
  const auto threads = flat_threads(subject.candidate.plan, name_of_kernel(array.kernel));
  std::int64_t elements = 1;
  for (const std::int64_t extent : array.extents) elements *= extent;
  const std::int64_t bytes = elements * bytes_of_element(array.type) * threads.value_or(0);
  if (bytes < 1 || bytes > kMostSharedBytes || array.initialiser.valid()) return false;
  if (array.kernel.text().find("__shared__") != std::string_view::npos) return false;
  edits.insert(array.declaration.begin(), "__shared__ ");
  edits.insert(array.declaration.end() - 1, fmt::format("[{}]", *threads));
  for (const SyntaxNode& use : array.uses) edits.insert(use.end(), "[threadIdx.x]");
  return true;
}

class ConstantIndex final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "constant_index", diagnose::action::kConstantIndex,
        "makes the subscripts of a thread's own arrays constants, so that they stay in "
        "registers",
        "an array of constant extents that is only subscripted, by indices of loops of constant "
        "length or with at most 8 elements or a flat block of literal size"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto arrays = local_arrays(subject.tree, kernel, subject.candidate.tune, kMostTurns);
      add_unrolled(subject, arrays, versions);
      add_shared(subject, arrays, versions);
      add_chosen(subject, arrays, versions);
    }
    if (versions.empty()) {
      return Refusal{"no array of a thread has subscripts that could be made constant"};
    }
    return versions;
  }

 private:
  static std::string names_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  static void add_unrolled(const Subject& subject, const std::vector<LocalArray>& arrays,
                           std::vector<Rewritten>& versions) {
    Edits edits;
    std::vector<std::size_t> done;
    std::vector<std::string> names;
    for (const LocalArray& array : arrays) {
      if (!array.unknown.empty()) continue;
      const std::size_t before = done.size();
      unroll(subject.tree, array.loops, done, edits);
      if (done.size() > before) names.push_back(array.name);
    }
    if (edits.empty()) return;
    versions.push_back(
        {edits.apply(subject.tree.source()),
         "unrolls the loops that index " + names_of(names) + ", so that it stays in registers"});
  }

  static void add_chosen(const Subject& subject, const std::vector<LocalArray>& arrays,
                         std::vector<Rewritten>& versions) {
    Edits edits;
    std::vector<std::size_t> done;
    std::vector<std::string> names;
    for (const LocalArray& array : arrays) {
      if (array.unknown.empty() || !can_choose(subject.tree, array)) continue;
      unroll(subject.tree, array.loops, done, edits);
      choose(subject.tree, array, edits);
      names.push_back(array.name);
    }
    if (edits.empty()) return;
    versions.push_back(
        {edits.apply(subject.tree.source()), "chooses among the elements of " + names_of(names) +
                                                 " by comparing, so that it stays in registers"});
  }

  static void add_shared(const Subject& subject, const std::vector<LocalArray>& arrays,
                         std::vector<Rewritten>& versions) {
    for (const LocalArray& array : arrays) {
      Edits edits;
      if (array.unknown.empty() || !move_to_shared(subject, array, edits)) continue;
      versions.push_back(
          {edits.apply(subject.tree.source()),
           fmt::format("moves {} to shared memory, a column for each thread", array.name)});
    }
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_constant_index() { return std::make_unique<ConstantIndex>(); }

}  // namespace kp::propose
