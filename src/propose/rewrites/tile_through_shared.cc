// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel of two thread indices a (along x) and b (along y) whose last act is one assignment
//   out[..] = f(in[..]) under a bounds check, where one side runs along a and the other along b: a
//   transpose-like access, strided on one side whatever the block.
// Does: moves a 32 x 32 tile through padded shared memory, so that both sides run along the lanes.
// Refuses: other shapes; an f that uses the indices for anything but the two subscripts.
#include <fmt/format.h>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/transposing.h"

namespace kp::propose {
namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;  // rows of threads: each thread moves four elements

Expr tiles(const Expr& grid, const Expr& block) {
  // ceil_div(extent, old block) becomes ceil_div(extent, 32): the divisor is the literal before the
  // last step.
  auto steps = grid.postfix();
  steps[steps.size() - 2] = {Expr::Op::kLiteral, kTile, ""};
  std::string text = grid.text();
  const std::size_t at = text.rfind(block.text());
  text.replace(at, block.text().size(), std::to_string(kTile));
  return Expr(std::move(steps), std::move(text));
}

bool divides_by_block(const Expr& grid, const Expr& block) {
  const auto& steps = grid.postfix();
  return steps.size() >= 3 && steps.back().op == Expr::Op::kCeilDiv && literal(block) &&
         steps[steps.size() - 2].op == Expr::Op::kLiteral &&
         steps[steps.size() - 2].value == literal(block) &&
         grid.text().rfind(block.text()) != std::string::npos;
}

std::string tiled_body(const Transposing& t) {
  const std::string x = t.along_x.name, y = t.along_y.name;
  std::string text = fmt::format("__shared__ {} kp_tile[{}][{} + 1];\n", t.element, kTile, kTile);
  text += fmt::format("  {{\n    const int {} = blockIdx.x * {} + threadIdx.x;\n", x, kTile);
  text += fmt::format(
      "    for (int kp_i = threadIdx.y; kp_i < {0}; kp_i += {1}) {{\n"
      "      const int {2} = blockIdx.y * {0} + kp_i;\n"
      "      if ({3}) kp_tile[kp_i][threadIdx.x] = {4};\n    }}\n  }}\n  __syncthreads();\n",
      kTile, kRows, y, t.condition, t.load);
  text += fmt::format("  {{\n    const int {} = blockIdx.y * {} + threadIdx.x;\n", y, kTile);
  text += fmt::format(
      "    for (int kp_i = threadIdx.y; kp_i < {0}; kp_i += {1}) {{\n"
      "      const int {2} = blockIdx.x * {0} + kp_i;\n      if ({3}) {4} = ",
      kTile, kRows, x, t.condition, t.store);
  return text + t.value_from("kp_tile[threadIdx.x][kp_i]") + ";\n    }\n  }\n";
}

class TileThroughShared final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"tile_through_shared", diagnose::action::kTileThroughShared,
            "moves a transpose-like access through a padded tile in shared memory",
            "one guarded assignment whose load runs along x and whose store runs along y"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      const auto shape = match_transposing(subject.tree, kernel);
      if (!shape) continue;
      if (auto version = tile(subject, *shape)) return std::vector{*std::move(version)};
    }
    return Refusal{"no kernel is one guarded assignment between x-wise and y-wise subscripts"};
  }

 private:
  static std::optional<Rewritten> tile(const Subject& subject, const Transposing& shape) {
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name_of_kernel(shape.kernel));
    if (!launch || literal(launch->shared_bytes) != 0 ||
        !divides_by_block(launch->grid.x, launch->block.x) ||
        !divides_by_block(launch->grid.y, launch->block.y)) {
      return std::nullopt;
    }
    launch->grid.x = tiles(launch->grid.x, launch->block.x);
    launch->grid.y = tiles(launch->grid.y, launch->block.y);
    launch->block.x = Expr(kTile);
    launch->block.y = Expr(kRows);
    Edits edits;
    edits.replace(shape.begin, shape.end, tiled_body(shape));
    auto source =
        task::replace_plan(edits.apply(subject.tree.source()), subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source), fmt::format("moves {} through a padded 32 x 32 tile",
                                                     name_of_kernel(shape.kernel))};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_tile_through_shared() {
  return std::make_unique<TileThroughShared>();
}

}  // namespace kp::propose
