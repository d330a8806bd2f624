// SPDX-License-Identifier: Apache-2.0
// Sees: a one-dimensional block of literal size.
// Does: makes the size a tune parameter, in the launch, in the grid expression that divides by it,
// and in
//   the #define of the same value that the kernel uses; the sweep then tries the values.
// Refuses: a block of more dimensions; a kernel that mentions the number itself, since it may mean
// the
//   block size there; dynamic shared memory, whose size may depend on it.
#include <fmt/format.h>

#include "base/text.h"
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/syntax.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kSizes[] = {128, 256, 512, 64, 1024};
constexpr const char* kName = "BLOCK_SIZE";

Expr with_name(const Expr& expr, std::int64_t value) {
  auto steps = expr.postfix();
  for (Expr::Step& step : steps) {
    if (step.op == Expr::Op::kLiteral && step.value == value) step = {Expr::Op::kName, 0, kName};
  }
  std::string text;
  const std::string number = std::to_string(value);
  for (std::size_t i = 0; i < expr.text().size();) {
    if (expr.text().compare(i, number.size(), number) == 0) {
      text += kName;
      i += number.size();
    } else {
      text += expr.text()[i++];
    }
  }
  return Expr(std::move(steps), std::move(text));
}

class BlockSize final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"block_size", diagnose::action::kBlockSize, "makes the block size a tune parameter",
            "a one-dimensional block of literal size that the kernel does not repeat"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (subject.finding && subject.finding->kernel != name_of_kernel(kernel)) continue;
      auto version = parametrise(subject, kernel);
      if (version) return std::vector{*std::move(version)};
    }
    return Refusal{"no kernel has a one-dimensional block of literal size that it does not repeat"};
  }

 private:
  static std::optional<Rewritten> parametrise(const Subject& subject, const SyntaxNode& kernel) {
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name_of_kernel(kernel));
    const auto size = launch ? literal(launch->block.x) : std::nullopt;
    const bool flat = size && literal(launch->block.y) == 1 && literal(launch->block.z) == 1;
    if (!flat || plan.steps.size() != 1 || literal(launch->shared_bytes) != 0) return std::nullopt;
    const auto body = rename_in_source(subject.tree, *size);
    if (!body) return std::nullopt;
    launch->block.x = with_name(launch->block.x, *size);
    launch->grid.x = with_name(launch->grid.x, *size);
    Tune tune;
    tune.name = kName;
    for (const std::int64_t other : kSizes) {
      if (other != *size) tune.values.push_back(other);
    }
    tune.values.push_back(*size);
    plan.tunes.push_back(std::move(tune));
    auto source = task::replace_plan(*body, subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source), fmt::format("tunes the block size of {}, which was {}",
                                                     name_of_kernel(kernel), *size)};
  }

  /// The source with the #define of the block size turned to the parameter; nothing when code names
  /// the number, or when the parameter's name is taken.
  static std::optional<std::string> rename_in_source(const SourceTree& tree, std::int64_t size) {
    if (mentions(tree, tree.root(), kName)) return std::nullopt;
    const std::string number = std::to_string(size);
    for (const SyntaxNode& kernel : tree.kernels()) {
      for (const SyntaxNode& literal : tree.all(kernel, "number_literal")) {
        if (literal.text() == number) return std::nullopt;
      }
    }
    Edits edits;
    for (const SyntaxNode& definition : tree.all(tree.root(), "preproc_def")) {
      const SyntaxNode value = definition.field("value");
      if (value.valid() && trim(value.text()) == number) edits.replace(value, kName);
    }
    return edits.apply(tree.source());
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_block_size() { return std::make_unique<BlockSize>(); }

}  // namespace kp::propose
