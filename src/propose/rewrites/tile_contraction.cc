// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel in which each thread sums products of two operands over k for one output.
// Does: lets each block compute a tile of outputs and each thread several of them; operands come
//   through shared memory in slabs that are loaded while the slab before them is worked on, with
//   128-bit loads where addresses allow. The bounds check and the epilogue stay as they are.
// Refuses: sums of anything but products of one operand for each output index; a range of k that
//   differs between threads; launches that are no two-dimensional grid of thread indices.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "propose/catalog.h"
#include "propose/contraction_tile.h"
#include "propose/launches.h"
#include "propose/pattern.h"

namespace kp::propose {
namespace {

constexpr std::string_view kTileBody = R"(constexpr int $TILE_K = $DEPTH, kp_threads = $THREADS;
__shared__ __align__(16) $TYPE kp_a[2][$TILE_K][$TILE_M + 4];
__shared__ __align__(16) $TYPE kp_b[2][$TILE_K][$TILE_N + 4];
$FETCH
const int kp_m = threadIdx.x / ($TILE_N / $THREAD_N) * 4, kp_n = threadIdx.x % ($TILE_N / $THREAD_N) * 4;
$TYPE kp_sum[$THREAD_M][$THREAD_N] = {};
alignas(16) $TYPE kp_x[2][$THREAD_M], kp_y[2][$THREAD_N];
int kp_slab = 0;
const auto kp_take = [&](int kp_i) {
#pragma unroll
  for (int kp_u = 0; kp_u < $THREAD_M; kp_u += 4)
    *reinterpret_cast<uint4*>(&kp_x[kp_i % 2][kp_u]) = *reinterpret_cast<const uint4*>(
        &kp_a[kp_slab][kp_i][kp_m + kp_u * ($TILE_M / $THREAD_M)]);
#pragma unroll
  for (int kp_u = 0; kp_u < $THREAD_N; kp_u += 4)
    *reinterpret_cast<uint4*>(&kp_y[kp_i % 2][kp_u]) = *reinterpret_cast<const uint4*>(
        &kp_b[kp_slab][kp_i][kp_n + kp_u * ($TILE_N / $THREAD_N)]);
};
kp_fetch($FIRST);
for ($K_TYPE kp_k = $FIRST; kp_k < $EXTENT; kp_k += $TILE_K) {
  $STASH_A
  $STASH_B
  __syncthreads();
  if (kp_k + $TILE_K < $EXTENT) kp_fetch(kp_k + $TILE_K);
  kp_take(0);
#pragma unroll
  for (int kp_i = 0; kp_i < $TILE_K; ++kp_i) {
    if (kp_i + 1 < $TILE_K) kp_take(kp_i + 1);
#pragma unroll
    for (int kp_u = 0; kp_u < $THREAD_M; ++kp_u)
#pragma unroll
      for (int kp_v = 0; kp_v < $THREAD_N; ++kp_v)
        kp_sum[kp_u][kp_v] += kp_x[kp_i % 2][kp_u] * kp_y[kp_i % 2][kp_v];
  }
  // The other slab: one barrier is enough.
  kp_slab ^= 1;
}
#pragma unroll
for (int kp_u = 0; kp_u < $THREAD_M; ++kp_u) {
#pragma unroll
  for (int kp_v = 0; kp_v < $THREAD_N; ++kp_v) {
    $OUTPUT
  }
})";

constexpr std::string_view kStashAcross = R"(#pragma unroll
for (int kp_u = 0; kp_u < $TILE * $TILE_K / kp_threads; ++kp_u) {
  const int kp_e = threadIdx.x * 4 + kp_u / 4 * 4 * kp_threads + kp_u % 4;
  $SLABS[kp_slab][kp_e % $TILE_K][kp_e / $TILE_K] = $NEXT[kp_u];
})";

constexpr std::string_view kStashAlong = R"(#pragma unroll
for (int kp_u = 0; kp_u < $TILE * $TILE_K / kp_threads; kp_u += 4) {
  const int kp_e = threadIdx.x * 4 + kp_u * kp_threads;
  *reinterpret_cast<uint4*>(&$SLABS[kp_slab][kp_e / $TILE][kp_e % $TILE]) =
      *reinterpret_cast<const uint4*>($NEXT + kp_u);
})";

/// Outputs of a block and of a thread, and the depth of a slab.
struct Tiling {
  int m, n, depth, thread_m, thread_n;
};
constexpr Tiling kTilings[] = {
    {128, 128, 16, 8, 8}, {128, 64, 16, 8, 8}, {64, 64, 16, 8, 4}, {32, 32, 32, 4, 4}};

class TileWriter {
 public:
  TileWriter(const Subject& subject, const Contraction& shape, const Tiling& tiling)
      : subject_(subject), shape_(shape), tiling_(tiling), names_(subject) {}

  std::optional<Rewritten> write() const {
    Plan plan = subject_.candidate.plan;
    const Expr m = named(names_.tile_m), n = named(names_.tile_n);
    const Expr threads =
        joined(joined(m, Expr::Op::kDivide, Expr(tiling_.thread_m)), Expr::Op::kMultiply,
               joined(n, Expr::Op::kDivide, Expr(tiling_.thread_n)));
    if (!retile_launch(plan, shape_, names_, threads)) return std::nullopt;
    add_tune(subject_, plan, names_.tile_m, values(tiling_.m));
    add_tune(subject_, plan, names_.tile_n, values(tiling_.n));
    auto source = with_body(subject_, shape_, {body(threads), threads.text(), ""}, plan);
    if (!source) return std::nullopt;
    return Rewritten{*std::move(source),
                     fmt::format("tiles {}: {} x {} outputs a block and {} x {} a thread, operands "
                                 "through shared memory in slabs of {}",
                                 name_of_kernel(shape_.kernel), tiling_.m, tiling_.n,
                                 tiling_.thread_m, tiling_.thread_n, tiling_.depth)};
  }

 private:
  static std::vector<std::int64_t> values(int first) {
    return first >= 64 ? std::vector<std::int64_t>{first, first == 128 ? 64 : 128}
                       : std::vector<std::int64_t>{first, 64};
  }

  std::string stash(const ContractionOperand& operand) const {
    const bool is_a = &operand == &shape_.a;
    const bool along = operand.contiguous == ContractionOperand::Along::kOutput;
    return filled(along ? kStashAlong : kStashAcross,
                  {{"TILE", is_a ? names_.tile_m : names_.tile_n},
                   {"TILE_K", names_.tile_k},
                   {"SLABS", is_a ? "kp_a" : "kp_b"},
                   {"NEXT", is_a ? "kp_next_a" : "kp_next_b"}});
  }

  std::string body(const Expr& threads) const {
    const std::string thread_m = std::to_string(tiling_.thread_m),
                      thread_n = std::to_string(tiling_.thread_n);
    const auto place = [](const std::string& from, const std::string& first, const std::string& at,
                          const std::string& tile, const std::string& thread) {
      return fmt::format("{0} + {1} + {2} / 4 * 4 * ({3} / {4}) + {2} % 4", from, first, at, tile,
                         thread);
    };
    const std::string output =
        output_text(subject_.tree, shape_, place("kp_row", "kp_m", "kp_u", names_.tile_m, thread_m),
                    place("kp_col", "kp_n", "kp_v", names_.tile_n, thread_n), "kp_sum[kp_u][kp_v]");
    return filled(kTileBody, {{"TILE_M", names_.tile_m},
                              {"TILE_N", names_.tile_n},
                              {"TILE_K", names_.tile_k},
                              {"DEPTH", std::to_string(tiling_.depth)},
                              {"THREADS", threads.text()},
                              {"THREAD_M", thread_m},
                              {"THREAD_N", thread_n},
                              {"TYPE", shape_.sum.type},
                              {"K_TYPE", shape_.loop.type},
                              {"FIRST", std::string(shape_.loop.first.text())},
                              {"EXTENT", shape_.extent},
                              {"FETCH", fetch_text(shape_, names_, {})},
                              {"STASH_A", stash(shape_.a)},
                              {"STASH_B", stash(shape_.b)},
                              {"OUTPUT", output}});
  }

  const Subject& subject_;
  const Contraction& shape_;
  const Tiling& tiling_;
  TileNames names_;
};

class TileContraction final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "tile_contraction", diagnose::action::kRegisterTile,
        "lets blocks compute tiles of a contraction and threads several outputs in registers",
        "each thread sums products A(i, k) * B(k, j) for one output (i, j) under a bounds check"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::string why = "the file has no kernel";
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto match = match_contraction(subject.tree, kernel);
      if (const auto* refusal = std::get_if<Refusal>(&match)) {
        why = refusal->why;
        continue;
      }
      auto versions = tile(subject, std::get<Contraction>(match));
      if (!versions.empty()) return versions;
      why = "its launch is no two-dimensional grid of two-dimensional blocks";
    }
    return Refusal{why};
  }

 private:
  /// First the largest tile that leaves no SM idle, then smaller ones, then larger ones. Tiles
  /// whose threads work alike are one version: its tune parameters reach the others.
  static std::vector<Rewritten> tile(const Subject& subject, const Contraction& shape) {
    std::vector<const Tiling*> fitting, larger;
    for (const Tiling& tiling : kTilings) {
      const bool fits = blocks_of_tiles(subject, shape, tiling.m, tiling.n) >= kEnoughBlocks;
      (fits ? fitting : larger).push_back(&tiling);
    }
    fitting.insert(fitting.end(), larger.rbegin(), larger.rend());
    std::vector<Rewritten> versions;
    std::set<std::pair<int, int>> seen;
    for (const Tiling* tiling : fitting) {
      if (!seen.emplace(tiling->thread_m, tiling->thread_n).second) continue;
      auto version = TileWriter(subject, shape, *tiling).write();
      if (version) versions.push_back(*std::move(version));
    }
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_tile_contraction() { return std::make_unique<TileContraction>(); }

}  // namespace kp::propose
