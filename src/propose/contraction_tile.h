// SPDX-License-Identifier: Apache-2.0
// What the rewrites that tile a contraction share: the launch of a tiled kernel, and the code that
// brings slabs of both operands from global memory. In that code a block computes TILE_M x TILE_N
// outputs from the row kp_row and the column kp_col on, and a slab is TILE_K deep.
#pragma once
#include <optional>
#include <string>

#include "propose/contraction.h"

namespace kp::propose {

/// Names for what a tiled kernel is made of; different from every name of the source.
struct TileNames {
  std::string tile_m, tile_n, tile_k;
  explicit TileNames(const Subject& subject);
};

/// Gives the only launch of the kernel a grid of tiles and a flat block. False when the launch is
/// not understood: several, dynamic shared memory, a block that is no two-dimensional literal.
bool retile_launch(Plan& plan, const Contraction& shape, const TileNames& names,
                   const Expr& threads);

inline constexpr std::int64_t kEnoughBlocks = 240;  // two for most SMs of a large GPU
/// How many blocks the first timed workload gets with tiles of `rows` x `columns`; 0 when unknown.
std::int64_t blocks_of_tiles(const Subject& subject, const Contraction& shape, std::int64_t rows,
                             std::int64_t columns);

/// How the slab of an operand goes through registers.
struct FetchStyle {
  int group = 4;          // neighbours that one load brings
  bool converted = true;  // to the type of the sum on the way; else as it lies in memory
};

/// The type of an operand's elements in registers and shared memory.
std::string staged_type(const Contraction& shape, const ContractionOperand& operand,
                        const FetchStyle& style);

/// Declares kp_row, kp_col, kp_next_a, kp_next_b and the lambda kp_fetch(kp_k), which loads the
/// slab at kp_k, zero outside of the operands: element u of kp_next_a is element
/// threadIdx.x * group + u / group * group * kp_threads + u % group of the slab, counted along the
/// index that is contiguous in memory first.
std::string fetch_text(const Contraction& shape, const TileNames& names, const FetchStyle& style);

/// What follows the sums: for the output (row, column) given by the expressions, under the bounds
/// check, the accumulator starts as `sum` and the epilogue runs.
std::string output_text(const SourceTree& tree, const Contraction& shape, const std::string& row,
                        const std::string& column, const std::string& sum);

/// What takes the place of a kernel's body.
struct TiledBody {
  std::string text;
  std::string threads;  // in its launch bounds, where it has some
  std::string include;  // a line in front of the kernel, or empty
};

/// The source with the new body and the plan. Nothing when the plan cannot be printed.
std::optional<std::string> with_body(const Subject& subject, const Contraction& shape,
                                     const TiledBody& body, const Plan& plan);

}  // namespace kp::propose
