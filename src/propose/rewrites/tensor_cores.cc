// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel in which each thread sums products of two half-precision operands over k for one
//   output, in a task whose class of arithmetic allows such operands.
// Does: lets each block compute a tile of outputs on tensor cores, with sums in single precision;
//   operands come through shared memory as they lie in memory. The bounds check and the epilogue
//   stay as they are.
// Refuses: what tile_contraction refuses; operands that are not half or bfloat16 in memory, or that
//   are changed before they are multiplied; stricter classes.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "propose/catalog.h"
#include "propose/contraction_tile.h"
#include "propose/launches.h"
#include "propose/pattern.h"

namespace kp::propose {
namespace {

using Along = ContractionOperand::Along;

constexpr FetchStyle kStyle{8, false};  // 128-bit loads

constexpr std::string_view kBody = R"(constexpr int $TILE_K = 32, kp_threads = $THREADS;
constexpr int kp_warp_m = $WARP_M, kp_warp_n = $WARP_N;  // outputs of a warp
__shared__ __align__(32) $A_TYPE kp_a[2][$A_ROWS][$A_COLUMNS + 8];
__shared__ __align__(32) $B_TYPE kp_b[2][$B_ROWS][$B_COLUMNS + 8];
__shared__ __align__(32) float kp_out[kp_threads / 32][16][16 + 4];
$FETCH
const int kp_warp = threadIdx.x / 32;
const int kp_m = kp_warp / ($TILE_N / kp_warp_n) * kp_warp_m, kp_n = kp_warp % ($TILE_N / kp_warp_n) * kp_warp_n;
namespace wmma = nvcuda::wmma;
wmma::fragment<wmma::matrix_a, 16, 16, 16, $A_TYPE, wmma::$A_ORDER> kp_x[kp_warp_m / 16];
wmma::fragment<wmma::matrix_b, 16, 16, 16, $B_TYPE, wmma::$B_ORDER> kp_y;
wmma::fragment<wmma::accumulator, 16, 16, 16, float> kp_sum[kp_warp_m / 16][kp_warp_n / 16];
#pragma unroll
for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
#pragma unroll
  for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) wmma::fill_fragment(kp_sum[kp_u][kp_v], 0.0f);
int kp_slab = 0;
kp_fetch($FIRST);
for ($K_TYPE kp_k = $FIRST; kp_k < $EXTENT; kp_k += $TILE_K) {
  $STASH_A
  $STASH_B
  __syncthreads();
  if (kp_k + $TILE_K < $EXTENT) kp_fetch(kp_k + $TILE_K);
#pragma unroll
  for (int kp_i = 0; kp_i < $TILE_K; kp_i += 16) {
#pragma unroll
    for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
      wmma::load_matrix_sync(kp_x[kp_u], &kp_a[kp_slab]$A_PLACE, $A_COLUMNS + 8);
#pragma unroll
    for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) {
      wmma::load_matrix_sync(kp_y, &kp_b[kp_slab]$B_PLACE, $B_COLUMNS + 8);
#pragma unroll
      for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u)
        wmma::mma_sync(kp_sum[kp_u][kp_v], kp_x[kp_u], kp_y, kp_sum[kp_u][kp_v]);
    }
  }
  // The other slab: one barrier is enough.
  kp_slab ^= 1;
}
#pragma unroll
for (int kp_u = 0; kp_u < kp_warp_m / 16; ++kp_u) {
#pragma unroll
  for (int kp_v = 0; kp_v < kp_warp_n / 16; ++kp_v) {
    wmma::store_matrix_sync(&kp_out[kp_warp][0][0], kp_sum[kp_u][kp_v], 16 + 4, wmma::mem_row_major);
    __syncwarp();
    for (int kp_e = threadIdx.x % 32; kp_e < 16 * 16; kp_e += 32) {
      $OUTPUT
    }
    __syncwarp();
  }
})";

constexpr std::string_view kStash = R"(#pragma unroll
for (int kp_u = 0; kp_u < $TILE * $TILE_K / kp_threads; kp_u += 8) {
  const int kp_e = threadIdx.x * 8 + kp_u * kp_threads;
  *reinterpret_cast<uint4*>(&$SLABS[kp_slab][kp_e / $COLUMNS][kp_e % $COLUMNS]) =
      *reinterpret_cast<const uint4*>($NEXT + kp_u);
})";

/// The operand is its element, converted to float and nothing else.
bool is_plain_half(const ContractionOperand& operand) {
  constexpr std::array<std::string_view, 3> kTypes{"__half", "half", "__nv_bfloat16"};
  constexpr std::array<std::string_view, 5> kConversions{
      "__half2float()", "__bfloat162float()", "(float)", "float()", "static_cast<float>()"};
  if (!operand.element.valid() || operand.contiguous == Along::kNowhere ||
      std::find(kTypes.begin(), kTypes.end(), operand.element_type) == kTypes.end()) {
    return false;
  }
  std::string rest(operand.value.text());
  const std::size_t at = operand.element.begin() - operand.value.begin();
  rest = squeezed(rest.erase(at, operand.element.text().size()));
  constexpr std::string_view kReadOnly = "__ldg(&)";
  const std::size_t read_only = rest.find(kReadOnly);
  if (read_only != std::string::npos) rest.erase(read_only, kReadOnly.size());
  return std::find(kConversions.begin(), kConversions.end(), rest) != kConversions.end();
}

/// Outputs of a block and of a warp.
struct WarpTiling {
  int m, n, warp_m, warp_n;
};
constexpr WarpTiling kWarpTilings[] = {{128, 128, 64, 32}, {64, 64, 32, 32}};

class TensorWriter {
 public:
  TensorWriter(const Subject& subject, const Contraction& shape, const WarpTiling& tiling)
      : subject_(subject), shape_(shape), tiling_(tiling), names_(subject) {}

  std::optional<Rewritten> write() const {
    Plan plan = subject_.candidate.plan;
    const Expr warps = joined(
        joined(named(names_.tile_m), Expr::Op::kDivide, Expr(tiling_.warp_m)), Expr::Op::kMultiply,
        joined(named(names_.tile_n), Expr::Op::kDivide, Expr(tiling_.warp_n)));
    const Expr threads = joined(warps, Expr::Op::kMultiply, Expr(32));
    if (!retile_launch(plan, shape_, names_, threads)) return std::nullopt;
    const int other = tiling_.m == 128 ? 64 : 128;
    add_tune(subject_, plan, names_.tile_m, {tiling_.m, other});
    add_tune(subject_, plan, names_.tile_n, {tiling_.n, other});
    auto source =
        with_body(subject_, shape_, {body(threads), threads.text(), "#include <mma.h>"}, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("computes {} x {} outputs a block of {} on tensor cores",
                                 tiling_.m, tiling_.n, name_of_kernel(shape_.kernel))};
  }

 private:
  /// How an operand lies in shared memory, which is how it lies in memory.
  struct Layout {
    std::string rows, columns, order, place;
  };
  Layout layout(const ContractionOperand& operand) const {
    const bool is_a = &operand == &shape_.a;
    const std::string tile = is_a ? names_.tile_m : names_.tile_n;
    const std::string output = is_a ? "kp_m + kp_u * 16" : "kp_n + kp_v * 16";
    const bool reduced = operand.contiguous == Along::kReduced;
    const std::string order = reduced == is_a ? "row_major" : "col_major";
    if (reduced) return {tile, names_.tile_k, order, fmt::format("[{}][kp_i]", output)};
    return {names_.tile_k, tile, order, fmt::format("[kp_i][{}]", output)};
  }

  std::string stash(const ContractionOperand& operand) const {
    const bool is_a = &operand == &shape_.a;
    return filled(kStash, {{"TILE", is_a ? names_.tile_m : names_.tile_n},
                           {"TILE_K", names_.tile_k},
                           {"COLUMNS", layout(operand).columns},
                           {"SLABS", is_a ? "kp_a" : "kp_b"},
                           {"NEXT", is_a ? "kp_next_a" : "kp_next_b"}});
  }

  std::string body(const Expr& threads) const {
    const Layout a = layout(shape_.a), b = layout(shape_.b);
    const std::string output = output_text(
        subject_.tree, shape_, "kp_row + kp_m + kp_u * 16 + kp_e / 16",
        "kp_col + kp_n + kp_v * 16 + kp_e % 16", "kp_out[kp_warp][kp_e / 16][kp_e % 16]");
    return filled(kBody, {{"TILE_N", names_.tile_n},
                          {"TILE_K", names_.tile_k},
                          {"THREADS", threads.text()},
                          {"WARP_M", std::to_string(tiling_.warp_m)},
                          {"WARP_N", std::to_string(tiling_.warp_n)},
                          {"A_TYPE", shape_.a.element_type},
                          {"A_ROWS", a.rows},
                          {"A_COLUMNS", a.columns},
                          {"A_ORDER", a.order},
                          {"A_PLACE", a.place},
                          {"B_TYPE", shape_.b.element_type},
                          {"B_ROWS", b.rows},
                          {"B_COLUMNS", b.columns},
                          {"B_ORDER", b.order},
                          {"B_PLACE", b.place},
                          {"K_TYPE", shape_.loop.type},
                          {"FIRST", std::string(shape_.loop.first.text())},
                          {"EXTENT", shape_.extent},
                          {"FETCH", fetch_text(shape_, names_, kStyle)},
                          {"STASH_A", stash(shape_.a)},
                          {"STASH_B", stash(shape_.b)},
                          {"OUTPUT", output}});
  }

  const Subject& subject_;
  const Contraction& shape_;
  const WarpTiling& tiling_;
  TileNames names_;
};

bool allows_half(const Subject& subject) {
  const Precision precision =
      subject.candidate.plan.precision.value_or(subject.task.declaration.precision);
  return precision == Precision::kF16 || precision == Precision::kBf16 ||
         precision == Precision::kF8;
}

class TensorCores final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "tensor_cores", diagnose::action::kTensorCores,
        "computes tiles of a contraction of half-precision operands on tensor cores",
        "operands are half or bfloat16 in memory, sums are float, and the task's class allows it"};
  }

  RewriteResult apply(const Subject& subject) const override {
    if (!allows_half(subject)) return Refusal{"the class of arithmetic forbids half operands"};
    std::string why = "the file has no kernel";
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto match = match_contraction(subject.tree, kernel);
      if (const auto* refusal = std::get_if<Refusal>(&match)) {
        why = refusal->why;
        continue;
      }
      const auto& shape = std::get<Contraction>(match);
      const bool half = is_plain_half(shape.a) && is_plain_half(shape.b) &&
                        shape.a.element_type == shape.b.element_type && shape.sum.type == "float";
      if (!half) {
        why = "its operands are not plain half-precision elements";
        continue;
      }
      auto versions = compute(subject, shape);
      if (!versions.empty()) return versions;
      why = "its launch is no two-dimensional grid of two-dimensional blocks";
    }
    return Refusal{why};
  }

 private:
  static std::vector<Rewritten> compute(const Subject& subject, const Contraction& shape) {
    std::vector<Rewritten> versions;
    for (const WarpTiling& tiling : kWarpTilings) {
      auto version = TensorWriter(subject, shape, tiling).write();
      if (version) versions.push_back(*std::move(version));
    }
    const WarpTiling& large = kWarpTilings[0];
    const bool few = blocks_of_tiles(subject, shape, large.m, large.n) < kEnoughBlocks;
    if (few) std::reverse(versions.begin(), versions.end());
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_tensor_cores() { return std::make_unique<TensorCores>(); }

}  // namespace kp::propose
