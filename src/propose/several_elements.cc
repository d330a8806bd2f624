// SPDX-License-Identifier: Apache-2.0
#include "propose/several_elements.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/elementwise.h"
#include "propose/jam.h"
#include "propose/launches.h"
#include "propose/statements.h"
#include "task/task.h"

namespace kp::propose {
namespace {

constexpr int kWarp = 32;
constexpr std::size_t kMostLoads = 8;  // of one element: more are in flight together already

class SeveralElements {
 public:
  SeveralElements(const Subject& subject, const Elementwise& shape, int count)
      : subject_(subject),
        shape_(shape),
        count_(count),
        jam_(subject.tree, shape.kernel, shape.index.name, std::to_string(kWarp)),
        type_(shape.index.declaration.field("type").text()) {}

  std::optional<Rewritten> rewrite() {
    const std::string kernel(name_of_kernel(shape_.kernel));
    Plan plan = subject_.candidate.plan;
    Launch* launch = only_launch(plan, kernel);
    if (!launch || !has_whole_warps(plan, *launch)) return std::nullopt;
    const auto grid = divisor_times(launch->grid.x, count_);
    if (!grid || !fits() || !stores_alone(*launch)) return std::nullopt;
    launch->grid.x = *grid;
    auto source = task::replace_plan(text(), subject_.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("gives each warp of {} {} stretches of 32 elements, loads first",
                                 kernel, count_)};
  }

 private:
  /// An element is another thread's, and another block's, than before.
  bool knows_its_thread() const {
    const auto parts = subject_.tree.all(shape_.kernel.field("body"), "field_expression");
    return std::any_of(parts.begin(), parts.end(), [&](const SyntaxNode& part) {
      const std::string_view text = part.text();
      return !lies_in(part, shape_.index.declaration) &&
             (text == "threadIdx.x" || text == "blockIdx.x" || text == "gridDim.x");
    });
  }

  bool fits() {
    const SourceTree& tree = subject_.tree;
    if (!is_number_type(type_) || mentions(tree, shape_.kernel, thread())) return false;
    if (may_change(tree, shape_.guard, shape_.index.name) || knows_its_thread()) return false;
    return jam_.read(shape_.body, true) && jam_.accumulators().empty() && jam_.loads() > 0 &&
           jam_.loads() <= kMostLoads && !jam_.stored().empty();
  }

  /// What is stored to has no second name, by which it might be loaded.
  bool stores_alone(const Launch& launch) const {
    const auto& stored = jam_.stored();
    return std::all_of(stored.begin(), stored.end(), [&](const std::string& array) {
      return is_passed_once(subject_.tree, shape_.kernel, launch, array);
    });
  }

  std::string thread() const { return shape_.index.name + "_thread"; }

  std::string text() const {
    const SyntaxNode block = shape_.kernel.field("body");
    const std::string& index = shape_.index.name;
    Edits edits;
    edits.replace(
        shape_.index.declaration,
        fmt::format("const {0} {1} = {2};\n  {0} {3} = {1} / {4} * {5} + {1} % {4};", type_,
                    thread(), shape_.index.value.text(), index, kWarp, kWarp * count_));
    // All lanes of a warp go the same way, and what is left at the end is not done one by one: all
    // would wait for that warp.
    edits.replace(shape_.guard.begin(), block.end() - 1,
                  fmt::format("if ({0} / {1} * {2} + {3} < {4}) {{\n{5}  }} else {{\n{6}  }}\n",
                              thread(), kWarp, kWarp * count_, kWarp * count_ - 1, shape_.bound,
                              jam_.text({count_, {}}, 4), jam_.text({count_, shape_.bound}, 4)));
    return edits.apply(subject_.tree.source());
  }

  const Subject& subject_;
  const Elementwise& shape_;
  int count_;
  Jam jam_;
  std::string type_;
};

}  // namespace

std::optional<Rewritten> several_elements(const Subject& subject, const SyntaxNode& kernel,
                                          int count) {
  const auto shape = match_elementwise(subject.tree, kernel);
  return shape ? SeveralElements(subject, *shape, count).rewrite() : std::nullopt;
}

}  // namespace kp::propose
