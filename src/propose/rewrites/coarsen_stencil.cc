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
#include <map>
#include <set>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/index_form.h"
#include "propose/launches.h"
#include "propose/pattern.h"
#include "propose/pointees.h"
#include "propose/reduction.h"

namespace kp::propose {
namespace {

constexpr std::size_t kFewestNeighbours = 3;
constexpr std::int64_t kFarthest = 8;  // rows and columns; registers for more would be many

/// Neighbours in one column: the points dy rows below, `dx` columns to the right.
struct Column {
  std::int64_t low = 0, high = 0;  // of dy
  std::string window;              // name of the registers
};

struct Neighbour {
  SyntaxNode load;
  std::int64_t dy = 0, dx = 0;
};

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

class Stencil {
 public:
  Stencil(const Subject& subject, const SyntaxNode& kernel)
      : subject_(subject),
        tree_(subject.tree),
        kernel_(kernel),
        body_(kernel.field("body")),
        locals_(subject.tree) {}

  bool match() { return match_indices() && match_rest() && match_array() && match_neighbours(); }
  const std::string& why() const { return why_; }

  std::string source(const std::string& rows) {
    std::string windows;
    Column all{kFarthest, -kFarthest, ""};
    for (const auto& [dx, column] : columns_) {
      windows += fmt::format("{} {}[{}];\n", array_.element, column.window, length(rows, column));
      all.low = std::min(all.low, column.low);
      all.high = std::max(all.high, column.high);
    }
    const auto statements = rest();
    const std::size_t begin = statements.front().begin(), end = statements.back().end();
    Edits point;
    for (const Neighbour& n : neighbours_) {
      const Column& column = columns_.at(n.dx);
      point.replace(n.load.begin() - begin, n.load.end() - begin,
                    fmt::format("{}[kp_r{}]", column.window, moved(n.dy - column.low)));
    }
    Edits edits;
    const std::string text =
        filled(kBody, {{"COL_DECLARATION", std::string(column_.declaration.text())},
                       {"ROWS", rows},
                       {"ROW", row_.name},
                       {"PLACE", base_.text()},
                       {"WINDOWS", windows},
                       {"LOWEST", moved(all.low)},
                       {"HIGHEST", moved(all.high)},
                       {"LEFT", moved(columns_.begin()->first)},
                       {"RIGHT", moved(columns_.rbegin()->first)},
                       {"COUNT", count_},
                       {"INNER_LOADS", loads(rows, false)},
                       {"OUTER_LOADS", loads(rows, true)},
                       {"POINT", point.apply(tree_.source().substr(begin, end - begin))}});
    edits.replace(body_.begin() + 1, body_.end() - 1, "\n" + reindented(text, 2) + "\n");
    return edits.apply(tree_.source());
  }

 private:
  bool no(std::string why) {
    why_ = std::move(why);
    return false;
  }

  static std::string length(const std::string& rows, const Column& column) {
    return rows + moved(column.high - column.low);
  }

  /// Fills all windows; `clamped`: at places within the array.
  std::string loads(const std::string& rows, bool clamped) const {
    std::string text;
    for (const auto& [dx, column] : columns_) {
      const std::string place =
          fmt::format("kp_place(kp_row + kp_r{}){}", moved(column.low), moved(dx));
      text +=
          filled(kLoad, {{"LENGTH", length(rows, column)},
                         {"WINDOW", column.window},
                         {"POINTER", array_.name},
                         {"INDEX", clamped ? fmt::format("min(max({}, 0), {} - 1)", place, count_)
                                           : place}}) +
          "\n";
    }
    return text;
  }

  bool match_indices() {
    for (const LocalVariable& local : initialised_locals(tree_, body_)) {
      const char axis = thread_index_axis(local.value);
      const bool top = local.declaration.parent() == body_;
      const bool plain = local.declaration.field("type").text() == "int";
      if (axis == 'x' && top && plain) column_ = local;
      if (axis == 'y' && top && plain) row_ = local;
    }
    if (row_.name.empty() || column_.name.empty()) return no("it has no two indices of type int");
    for (const std::string& name : {row_.name, column_.name}) {
      if (may_change(tree_, body_, name) || !declared_once(tree_, kernel_, name)) {
        return no("'" + name + "' changes or is declared twice");
      }
    }
    return true;
  }

  /// The statements behind both indices.
  std::vector<SyntaxNode> rest() const {
    auto statements = body_.children();
    std::erase_if(statements, [this](const SyntaxNode& statement) {
      return statement == row_.declaration || statement == column_.declaration;
    });
    return statements;
  }

  bool match_rest() {
    const auto statements = rest();
    if (communicates(tree_, body_) || tree_.source().find("__shared__") != std::string::npos) {
      return no("its threads talk to each other");
    }
    if (statements.empty()) return no("it does nothing");
    const std::size_t indices_end = std::max(row_.declaration.end(), column_.declaration.end());
    if (statements.front().begin() < indices_end) return no("something stands before its indices");
    for (const SyntaxNode& field : tree_.all(body_, "field_expression")) {
      const std::string_view text = field.text();
      const bool thread = text.starts_with("threadIdx") || text.starts_with("blockDim") ||
                          text.starts_with("gridDim") || text == "blockIdx.x" ||
                          text == "blockIdx.y";
      if (thread && field.begin() >= indices_end) {
        return no("it uses " + std::string(text) + " for more than its indices");
      }
    }
    return true;
  }

  /// Locals whose value stays, for subscripts that go through them.
  void read_locals() {
    for (const SyntaxNode& declaration : tree_.all(body_, "declaration")) {
      Locals one(tree_);
      const bool stays = one.read(declaration) &&
                         std::all_of(one.all().begin(), one.all().end(), [&](const Local& local) {
                           return !may_change(tree_, body_, local.name) &&
                                  declared_once(tree_, kernel_, local.name);
                         });
      if (stays) locals_.read(declaration);
    }
  }

  /// The array that is loaded most often, and the number of its elements.
  bool match_array() {
    read_locals();
    std::size_t most = 0;
    for (const PointerParameter& pointer : pointer_parameters(tree_, kernel_)) {
      const std::size_t uses = mentions_of(tree_, body_, pointer.name).size();
      const bool read = pointer.constant || pointers_if_only_read(tree_, kernel_, pointer.name);
      if (!read || uses <= most) continue;
      most = uses;
      array_ = pointer;
    }
    if (most < kFewestNeighbours) return no("no array is read at several places");
    const Launch* launch = only_launch(subject_.candidate.plan, name_of_kernel(kernel_));
    if (!launch || !is_passed_once(tree_, kernel_, *launch, array_.name)) {
      return no("'" + array_.name + "' may be stored to under another name");
    }
    const auto count = count_of_elements(*launch);
    if (!count) return no("the kernel does not know the extent of '" + array_.name + "'");
    count_ = *count;
    return true;
  }

  std::optional<std::string> count_of_elements(const Launch& launch) const {
    const Argument* argument = argument_for(tree_, kernel_, launch, array_.name);
    const auto* name = argument ? std::get_if<std::string>(&argument->value) : nullptr;
    const Tensor* tensor = name ? subject_.task.declaration.find(*name) : nullptr;
    if (!tensor || tensor->shape.empty()) return std::nullopt;
    std::vector<std::string> factors;
    for (const Expr& extent : tensor->shape) {
      const auto value = literal(extent);
      const std::string factor = value ? std::to_string(*value) : parameter_with(launch, extent);
      if (factor.empty()) return std::nullopt;
      factors.push_back(factor);
    }
    return fmt::format("{}", fmt::join(factors, " * "));
  }

  /// The integer parameter that gets `extent`; empty when there is none.
  std::string parameter_with(const Launch& launch, const Expr& extent) const {
    const SyntaxNode list = kernel_.field("declarator").field("parameters");
    for (const SyntaxNode& parameter : tree_.all(list, "parameter_declaration")) {
      const SyntaxNode name = parameter.field("declarator");
      if (!name.valid() || name.type() != "identifier") continue;
      const Argument* argument = argument_for(tree_, kernel_, launch, name.text());
      const auto* expr = argument ? std::get_if<Expr>(&argument->value) : nullptr;
      const auto* axis = argument ? std::get_if<std::string>(&argument->value) : nullptr;
      const bool same = (expr && *expr == extent) || (axis && *axis == extent.text());
      if (same && !may_change(tree_, body_, name.text())) return std::string(name.text());
    }
    return "";
  }

  bool match_neighbours() {
    for (const SyntaxNode& mention : mentions_of(tree_, body_, array_.name)) {
      const SyntaxNode load = mention.parent();
      const bool plain = load.type() == "subscript_expression" &&
                         load.field("argument") == mention &&
                         load.parent().type() != "pointer_expression";
      if (!plain || !add_neighbour(load)) {
        return no("'" + array_.name + "' is read at other than constant distances");
      }
    }
    if (columns_.empty()) return no("no array is read at several places");
    int number = 0;
    for (auto& [dx, column] : columns_) column.window = fmt::format("kp_window{}", number++);
    const bool shares = std::any_of(columns_.begin(), columns_.end(), [](const auto& column) {
      return column.second.high > column.second.low;
    });
    return shares || no("points of a column share no neighbours");
  }

  bool add_neighbour(const SyntaxNode& load) {
    const auto element = element_of(load, locals_, {row_.name, column_.name});
    if (!element || element->pointer != array_.name) return false;
    const auto down = element->index.step(row_.name), right = element->index.step(column_.name);
    if (!down || !right || right->value() != 1 || down->has(column_.name) || *down == IndexForm()) {
      return false;
    }
    const IndexForm base =
        down->times(IndexForm::name(row_.name)).plus(IndexForm::name(column_.name), 1);
    const bool first = neighbours_.empty();
    if (!first && !(base == base_)) return false;
    base_ = base;
    const auto away = distance(element->index.plus(base, -1), *down);
    if (!away) return false;
    const auto [dy, dx] = *away;
    auto [column, added] = columns_.try_emplace(dx, Column{dy, dy, ""});
    column->second.low = std::min(column->second.low, dy);
    column->second.high = std::max(column->second.high, dy);
    neighbours_.push_back({load, dy, dx});
    return true;
  }

  /// dy and dx with away = dy * pitch + dx.
  static std::optional<std::pair<std::int64_t, std::int64_t>> distance(const IndexForm& away,
                                                                       const IndexForm& pitch) {
    for (std::int64_t dy = -kFarthest; dy <= kFarthest; ++dy) {
      const auto dx = away.plus(pitch, -dy).value();
      if (dx && std::abs(*dx) <= kFarthest) return std::pair(dy, *dx);
    }
    return std::nullopt;
  }

  const Subject& subject_;
  const SourceTree& tree_;
  SyntaxNode kernel_, body_;
  Locals locals_;
  std::string why_;
  LocalVariable row_, column_;
  PointerParameter array_;
  std::string count_;
  IndexForm base_;
  std::vector<Neighbour> neighbours_;
  std::map<std::int64_t, Column> columns_;  // by dx
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
      Stencil stencil(subject, kernel);
      if (!stencil.match()) {
        why = stencil.why();
        continue;
      }
      if (auto version = coarsen(subject, kernel, stencil)) return std::vector{*std::move(version)};
      why = "its launch is no plain two-dimensional grid";
    }
    return Refusal{why};
  }

 private:
  static std::optional<Rewritten> coarsen(const Subject& subject, const SyntaxNode& kernel,
                                          Stencil& stencil) {
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
    auto source = task::replace_plan(stencil.source(name), subject.candidate.file, plan);
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
