// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction_tile.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/edit.h"
#include "propose/launches.h"
#include "propose/pattern.h"
#include "task/task.h"

namespace kp::propose {
namespace {

using Along = ContractionOperand::Along;

constexpr std::string_view kFetch = R"(const $ROW_TYPE kp_row = blockIdx.$ROW_AXIS * $TILE_M;
const $COL_TYPE kp_col = blockIdx.$COL_AXIS * $TILE_N;
alignas(16) $A_TYPE kp_next_a[$TILE_M * $TILE_K / kp_threads];
alignas(16) $B_TYPE kp_next_b[$TILE_N * $TILE_K / kp_threads];
$WIDE_A
$WIDE_B
const auto kp_fetch = [&]($K_TYPE kp_k) {
  $LOAD_A
  $LOAD_B
};)";

constexpr std::string_view kWide = R"(bool $WIDE;
{
  const $OWN_TYPE $OWN = $ORIGIN;
  const $K_TYPE $K = $FIRST;
  $LOCALS
  $WIDE = $ORIGIN + $TILE <= $BOUND && ($STRIDE) % $GROUP == 0 &&
      reinterpret_cast<unsigned long long>(&$ELEMENT) % sizeof($VECTOR) == 0;
})";

constexpr std::string_view kLoad = R"(#pragma unroll
for (int kp_u = 0; kp_u < $TILE * $TILE_K / kp_threads; kp_u += $GROUP) {
  const int kp_e = threadIdx.x * $GROUP + kp_u * kp_threads;
  $WIDE_PART
#pragma unroll
  for (int kp_c = 0; kp_c < $GROUP; ++kp_c) {
    $PLACE
    $NEXT[kp_u + kp_c] = $ZERO;
    if ($OWN < $BOUND && $K < $EXTENT) {
      $LOCALS
      $NEXT[kp_u + kp_c] = $VALUE;
    }
  }
})";

constexpr std::string_view kWidePart = R"(if ($WIDE && kp_k + $TILE_K <= $EXTENT) {
  alignas(16) $ELEMENT_TYPE kp_word[$GROUP];
  {
    constexpr int kp_c = 0;
    $PLACE
    $LOCALS
    *reinterpret_cast<$VECTOR*>(kp_word) = *reinterpret_cast<const $VECTOR*>(&$ELEMENT);
  }
#pragma unroll
  for (int kp_c = 0; kp_c < $GROUP; ++kp_c) $NEXT[kp_u + kp_c] = $FROM_WORD;
  continue;
})";

std::string_view vector_type(unsigned bytes) {
  return bytes == 16 ? "uint4" : bytes == 8 ? "uint2" : bytes == 4 ? "unsigned int" : "";
}

/// One operand as the patterns see it.
class Operand {
 public:
  Operand(const Contraction& shape, const ContractionOperand& operand, const TileNames& names,
          const FetchStyle& style)
      : shape_(shape), operand_(operand), names_(names), style_(style) {}

  std::string wide() const { return can_be_wide() ? filled(kWide, fillings()) : ""; }

  std::string load() const {
    Fillings all = fillings();
    all.emplace_back("WIDE_PART", can_be_wide() ? filled(kWidePart, all) : "");
    return filled(kLoad, all);
  }

 private:
  bool is_a() const { return &operand_ == &shape_.a; }
  const OutputIndex& own() const { return is_a() ? shape_.row : shape_.column; }

  /// The value computed from a word that was loaded, when nothing else in it varies.
  bool can_be_wide() const {
    const bool known = operand_.contiguous != Along::kNowhere && operand_.element.valid();
    return known &&
           !vector_type(static_cast<unsigned>(style_.group) * operand_.element_bytes).empty() &&
           !rest_varies();
  }

  std::string value_from(const std::string& element) const {
    if (!style_.converted) return element;
    std::string text(operand_.value.text());
    const std::size_t at = operand_.element.begin() - operand_.value.begin();
    return text.replace(at, operand_.element.text().size(), element);
  }

  /// Whether what stands around the load depends on the place, too.
  bool rest_varies() const { return varies_outside(operand_.value); }

  bool varies_outside(const SyntaxNode& node) const {
    if (node == operand_.element) return false;
    if (node.type() == "identifier") {
      return shape_.locals.depends(node, own().name) ||
             shape_.locals.depends(node, shape_.loop.index);
    }
    const auto parts = node.children();
    return std::any_of(parts.begin(), parts.end(),
                       [this](const SyntaxNode& part) { return varies_outside(part); });
  }

  std::string place() const {
    const std::string& tile = is_a() ? names_.tile_m : names_.tile_n;
    const bool reduced = operand_.contiguous != Along::kOutput;
    const std::string origin = is_a() ? "kp_row" : "kp_col";
    const std::string inner = reduced ? names_.tile_k : tile;
    const std::string fast = fmt::format("kp_e % {} + kp_c", inner);
    const std::string slow = fmt::format("kp_e / {}", inner);
    return fmt::format("const {} {} = {} + {};\nconst {} {} = kp_k + {};", own().type, own().name,
                       origin, reduced ? slow : fast, shape_.loop.type, shape_.loop.index,
                       reduced ? fast : slow);
  }

  Fillings fillings() const {
    const SyntaxNode needed = style_.converted ? operand_.value : operand_.element;
    const std::vector<std::string> given{own().name, shape_.loop.index};
    const unsigned bytes = static_cast<unsigned>(style_.group) * operand_.element_bytes;
    return {{"OWN_TYPE", own().type},
            {"OWN", own().name},
            {"ORIGIN", is_a() ? "kp_row" : "kp_col"},
            {"BOUND", own().bound},
            {"TILE", is_a() ? names_.tile_m : names_.tile_n},
            {"TILE_K", names_.tile_k},
            {"K_TYPE", shape_.loop.type},
            {"K", shape_.loop.index},
            {"FIRST", std::string(shape_.loop.first.text())},
            {"EXTENT", shape_.extent},
            {"LOCALS", shape_.locals.needed_by({needed}, given)},
            {"STRIDE", operand_.stride},
            {"GROUP", std::to_string(style_.group)},
            {"ELEMENT", operand_.element.valid() ? std::string(operand_.element.text()) : ""},
            {"ELEMENT_TYPE", operand_.element_type},
            {"VECTOR", std::string(vector_type(bytes))},
            {"NEXT", is_a() ? "kp_next_a" : "kp_next_b"},
            {"WIDE", is_a() ? "kp_wide_a" : "kp_wide_b"},
            {"ZERO", style_.converted ? "0" : operand_.element_type + "(0.0f)"},
            {"PLACE", place()},
            {"VALUE", std::string(needed.text())},
            {"FROM_WORD", operand_.element.valid() ? value_from("kp_word[kp_c]") : ""}};
  }

  const Contraction& shape_;
  const ContractionOperand& operand_;
  const TileNames& names_;
  const FetchStyle& style_;
};

/// The grid along an axis, as tiles: ceil_div(extent, tile).
std::optional<Expr> tiles_along(const Launch& launch, char axis, const std::string& tile) {
  const Expr& grid = axis == 'x' ? launch.grid.x : launch.grid.y;
  const Expr& block = axis == 'x' ? launch.block.x : launch.block.y;
  const auto operands = operands_of_ceil_div(grid);
  const Expr extent = operands && operands->second == block
                          ? operands->first
                          : joined(grid, Expr::Op::kMultiply, block);
  return joined(extent, Expr::Op::kCeilDiv, named(tile));
}

}  // namespace

TileNames::TileNames(const Subject& subject)
    : tile_m(unused_name(subject, "TILE_M")),
      tile_n(unused_name(subject, "TILE_N")),
      tile_k(unused_name(subject, "TILE_K")) {}

bool retile_launch(Plan& plan, const Contraction& shape, const TileNames& names,
                   const Expr& threads) {
  Launch* launch = only_launch(plan, name_of_kernel(shape.kernel));
  if (!launch || launch->cluster || launch->cooperative || literal(launch->shared_bytes) != 0 ||
      literal(launch->block.z) != 1) {
    return false;
  }
  const auto rows = tiles_along(*launch, shape.row.axis, names.tile_m);
  const auto columns = tiles_along(*launch, shape.column.axis, names.tile_n);
  if (!rows || !columns) return false;
  launch->grid.x = shape.row.axis == 'x' ? *rows : *columns;
  launch->grid.y = shape.row.axis == 'x' ? *columns : *rows;
  launch->block = {threads, Expr(1), Expr(1)};
  return true;
}

std::int64_t blocks_of_tiles(const Subject& subject, const Contraction& shape, std::int64_t rows,
                             std::int64_t columns) {
  Plan plan = subject.candidate.plan;
  const TileNames names(subject);
  const auto timed = subject.task.with_role(WorkloadRole::kTime);
  if (timed.empty() || !retile_launch(plan, shape, names, Expr(1))) return 0;
  Bindings scope = timed.front()->axes;
  scope.insert(subject.candidate.tune.begin(), subject.candidate.tune.end());
  scope[names.tile_m] = rows;
  scope[names.tile_n] = columns;
  std::int64_t blocks = 1;
  const Dim3Expr& grid = only_launch(plan, name_of_kernel(shape.kernel))->grid;
  for (const Expr* dimension : {&grid.x, &grid.y, &grid.z}) {
    const auto value = dimension->evaluate(scope);
    if (!value) return 0;
    blocks *= *value;
  }
  return blocks;
}

std::string staged_type(const Contraction& shape, const ContractionOperand& operand,
                        const FetchStyle& style) {
  return style.converted ? shape.sum.type : operand.element_type;
}

std::string fetch_text(const Contraction& shape, const TileNames& names, const FetchStyle& style) {
  const Operand a(shape, shape.a, names, style), b(shape, shape.b, names, style);
  return filled(kFetch, {{"ROW_TYPE", shape.row.type},
                         {"COL_TYPE", shape.column.type},
                         {"ROW_AXIS", std::string(1, shape.row.axis)},
                         {"COL_AXIS", std::string(1, shape.column.axis)},
                         {"TILE_M", names.tile_m},
                         {"TILE_N", names.tile_n},
                         {"TILE_K", names.tile_k},
                         {"K_TYPE", shape.loop.type},
                         {"A_TYPE", staged_type(shape, shape.a, style)},
                         {"B_TYPE", staged_type(shape, shape.b, style)},
                         {"WIDE_A", a.wide()},
                         {"WIDE_B", b.wide()},
                         {"LOAD_A", a.load()},
                         {"LOAD_B", b.load()}});
}

std::string output_text(const SourceTree& tree, const Contraction& shape, const std::string& row,
                        const std::string& column, const std::string& sum) {
  const std::vector<std::string> given{shape.row.name, shape.column.name, shape.sum.name};
  auto needed = shape.epilogue;
  const std::string start(shape.sum.value.text());
  const auto zero = [](std::string text) {
    return text == "0" || text == "0.0f" || text == "0.f" || text == "0.0" || text == "0.";
  };
  if (!zero(start)) needed.push_back(shape.sum.value);
  const std::size_t begin = shape.epilogue.front().begin();
  return filled(R"(const $ROW_TYPE $ROW = $ROW_VALUE;
const $COL_TYPE $COL = $COL_VALUE;
if ($ROW < $ROW_BOUND && $COL < $COL_BOUND) {
  $LOCALS
  $SUM_TYPE $SUM = $START$VALUE;
  $EPILOGUE
})",
                {{"ROW_TYPE", shape.row.type},
                 {"ROW", shape.row.name},
                 {"ROW_VALUE", row},
                 {"ROW_BOUND", shape.row.bound},
                 {"COL_TYPE", shape.column.type},
                 {"COL", shape.column.name},
                 {"COL_VALUE", column},
                 {"COL_BOUND", shape.column.bound},
                 {"LOCALS", shape.locals.needed_by(needed, given)},
                 {"SUM_TYPE", shape.sum.type},
                 {"SUM", shape.sum.name},
                 {"START", zero(start) ? "" : "(" + start + ") + "},
                 {"VALUE", sum},
                 {"EPILOGUE", tree.source().substr(begin, shape.epilogue.back().end() - begin)}});
}

std::optional<std::string> with_body(const Subject& subject, const Contraction& shape,
                                     const TiledBody& body, const Plan& plan) {
  Edits edits;
  SyntaxNode outermost = shape.kernel;
  while (!(outermost.parent() == subject.tree.root())) outermost = outermost.parent();
  if (!body.include.empty()) edits.insert(outermost.begin(), body.include + "\n\n");
  edits.replace(shape.begin, shape.end, "\n" + reindented(body.text, 2) + "\n");
  for (const SyntaxNode& bounds : subject.tree.all(shape.kernel, "launch_bounds")) {
    edits.replace(bounds, fmt::format("__launch_bounds__({})", body.threads));
  }
  auto source =
      task::replace_plan(edits.apply(subject.tree.source()), subject.candidate.file, plan);
  if (!source) return std::nullopt;
  return *std::move(source);
}

}  // namespace kp::propose
