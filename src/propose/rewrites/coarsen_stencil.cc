// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel of two thread indices in which each thread computes one point from neighbours at
//   constant distances in an array that it only reads.
// Does: gives each thread several points down a column; all their neighbours are loaded first, side
//   by side, and those that points share only once, into registers. Each point then is computed as
//   before. Blocks become 32 wide, so that a warp loads whole lines.
// Refuses: neighbours at other than constant distances; an array that is stored to, or whose extent
//   the kernel does not know; other uses of thread indices.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/launches.h"
#include "propose/pattern.h"
#include "propose/stencil.h"

namespace kp::propose {
namespace {

constexpr std::string_view kBody = R"($COL_DECLARATION
const int kp_row = (blockIdx.y * blockDim.y + threadIdx.y) * $ROWS;
const auto kp_place = [&](const int $ROW) { return $PLACE; };
// What the points of this thread need, loaded once. Places outside of the array are never used.
$WINDOWS
if (kp_place(kp_row$LOWEST)$LEFT >= 0 && kp_place(kp_row + $ROWS - 1$HIGHEST)$RIGHT < $COUNT) {
  $INNER_LOADS
} else {
  $OUTER_LOADS
}
const auto kp_point = [&](const int $ROW, const int kp_r) {
  $POINT
};
#pragma unroll
for (int kp_r = 0; kp_r < $ROWS; ++kp_r) kp_point(kp_row + kp_r, kp_r);)";

constexpr std::string_view kLoad = R"(#pragma unroll
for (int kp_r = 0; kp_r < $LENGTH; ++kp_r) $WINDOW[kp_r] = $POINTER[$INDEX];)";

/// " + 2", " - 1", or nothing.
std::string moved(std::int64_t by) {
  return by == 0 ? "" : fmt::format(" {} {}", by < 0 ? '-' : '+', std::abs(by));
}

class StencilWriter {
 public:
  StencilWriter(const SourceTree& tree, const Stencil& stencil, std::string rows)
      : tree_(tree), stencil_(stencil), rows_(std::move(rows)) {}

  std::string source() const {
    const SyntaxNode body = stencil_.kernel.field("body");
    std::string windows;
    Stencil::Column all{kFarthestNeighbour, -kFarthestNeighbour};
    for (const auto& [dx, column] : stencil_.columns) {
      windows += fmt::format("{} {}[{}];\n", stencil_.array.element, window(dx), length(column));
      all.low = std::min(all.low, column.low);
      all.high = std::max(all.high, column.high);
    }
    const auto& statements = stencil_.statements;
    const std::size_t begin = statements.front().begin(), end = statements.back().end();
    Edits point;
    for (const Stencil::Neighbour& n : stencil_.neighbours) {
      const Stencil::Column& column = stencil_.columns.at(n.dx);
      point.replace(n.load.begin() - begin, n.load.end() - begin,
                    fmt::format("{}[kp_r{}]", window(n.dx), moved(n.dy - column.low)));
    }
    Edits edits;
    const std::string text =
        filled(kBody, {{"COL_DECLARATION", std::string(stencil_.column.declaration.text())},
                       {"ROWS", rows_},
                       {"ROW", stencil_.row.name},
                       {"PLACE", stencil_.base.text()},
                       {"WINDOWS", windows},
                       {"LOWEST", moved(all.low)},
                       {"HIGHEST", moved(all.high)},
                       {"LEFT", moved(stencil_.columns.begin()->first)},
                       {"RIGHT", moved(stencil_.columns.rbegin()->first)},
                       {"COUNT", stencil_.count},
                       {"INNER_LOADS", loads(false)},
                       {"OUTER_LOADS", loads(true)},
                       {"POINT", point.apply(tree_.source().substr(begin, end - begin))}});
    edits.replace(body.begin() + 1, body.end() - 1, "\n" + reindented(text, 2) + "\n");
    return edits.apply(tree_.source());
  }

 private:
  /// The registers for the neighbours `dx` columns to the right.
  std::string window(std::int64_t dx) const {
    const auto column = stencil_.columns.find(dx);
    return fmt::format("kp_window{}", std::distance(stencil_.columns.begin(), column));
  }

  std::string length(const Stencil::Column& column) const {
    return rows_ + moved(column.high - column.low);
  }

  /// Fills all windows; `clamped`: at places within the array.
  std::string loads(bool clamped) const {
    std::string text;
    for (const auto& [dx, column] : stencil_.columns) {
      const std::string place =
          fmt::format("kp_place(kp_row + kp_r{}){}", moved(column.low), moved(dx));
      text +=
          filled(kLoad,
                 {{"LENGTH", length(column)},
                  {"WINDOW", window(dx)},
                  {"POINTER", stencil_.array.name},
                  {"INDEX", clamped ? fmt::format("min(max({}, 0), {} - 1)", place, stencil_.count)
                                    : place}}) +
          "\n";
    }
    return text;
  }

  const SourceTree& tree_;
  const Stencil& stencil_;
  std::string rows_;  // text of the number of points a thread
};

class CoarsenStencil final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"coarsen_stencil", diagnose::action::kRegisterTile,
            "gives each thread several points of a stencil, whose neighbours it loads once",
            "each thread computes one point from neighbours at constant distances in an array that "
            "is only read"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::string why = "the file has no kernel";
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto match = match_stencil(subject, kernel);
      if (const auto* refusal = std::get_if<Refusal>(&match)) {
        why = refusal->why;
        continue;
      }
      auto version = coarsen(subject, std::get<Stencil>(match));
      if (version) return std::vector{*std::move(version)};
      why = "its launch is no plain two-dimensional grid";
    }
    return Refusal{why};
  }

 private:
  static std::optional<Rewritten> coarsen(const Subject& subject, const Stencil& stencil) {
    const SyntaxNode& kernel = stencil.kernel;
    Plan plan = subject.candidate.plan;
    Launch* launch = only_launch(plan, name_of_kernel(kernel));
    if (!launch || launch->cluster || launch->cooperative || literal(launch->block.z) != 1 ||
        literal(launch->shared_bytes) != 0 || !subject.tree.all(kernel, "launch_bounds").empty()) {
      return std::nullopt;
    }
    const auto extent = [](const Expr& grid, const Expr& block) {
      const auto operands = operands_of_ceil_div(grid);
      const bool plain = operands && operands->second == block;
      return plain ? operands->first : joined(grid, Expr::Op::kMultiply, block);
    };
    const Expr columns = extent(launch->grid.x, launch->block.x),
               rows = extent(launch->grid.y, launch->block.y);
    const std::string name = add_tune(subject, plan, "ROWS", {4, 8, 2});
    launch->block = {Expr(32), Expr(8), Expr(1)};
    launch->grid.x = joined(columns, Expr::Op::kCeilDiv, Expr(32));
    launch->grid.y =
        joined(rows, Expr::Op::kCeilDiv, joined(Expr(8), Expr::Op::kMultiply, named(name)));
    auto source = task::replace_plan(StencilWriter(subject.tree, stencil, name).source(),
                                     subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("gives each thread of {} 4 points down a column, whose neighbours "
                                 "it loads once into registers",
                                 name_of_kernel(kernel))};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_coarsen_stencil() { return std::make_unique<CoarsenStencil>(); }

}  // namespace kp::propose
