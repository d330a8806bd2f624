// SPDX-License-Identifier: Apache-2.0
// Makers of the proposers and rewrites; only catalog.cc and the files themselves use it.
#pragma once
#include <memory>
#include <string>

#include "diagnose/actions.h"
#include "propose/proposer.h"
#include "propose/rewrite.h"
#include "task/task.h"

namespace kp::propose {

std::unique_ptr<Proposer> make_rewriter();
/// Reads a JSON list of proposals: [{"source": ..., "idea": ...}, ...].
Result<std::unique_ptr<Proposer>> make_scripted(const std::string& file);

std::unique_ptr<Rewrite> make_aggregate_atomics();
std::unique_ptr<Rewrite> make_block_size();
std::unique_ptr<Rewrite> make_coarsen_stencil();
std::unique_ptr<Rewrite> make_constant_index();
std::unique_ptr<Rewrite> make_fast_math();
std::unique_ptr<Rewrite> make_float_literals();
std::unique_ptr<Rewrite> make_grid_stride();
std::unique_ptr<Rewrite> make_launch_bounds();
std::unique_ptr<Rewrite> make_longer_stretches();
std::unique_ptr<Rewrite> make_pad_shared();
std::unique_ptr<Rewrite> make_privatise();
std::unique_ptr<Rewrite> make_read_only_loads();
std::unique_ptr<Rewrite> make_row_per_warp();
std::unique_ptr<Rewrite> make_split_row();
std::unique_ptr<Rewrite> make_stage_rows();
std::unique_ptr<Rewrite> make_strength_reduce();
std::unique_ptr<Rewrite> make_swizzle_shared();
std::unique_ptr<Rewrite> make_table_to_shared();
std::unique_ptr<Rewrite> make_tensor_cores();
std::unique_ptr<Rewrite> make_tile_contraction();
std::unique_ptr<Rewrite> make_tile_through_shared();
std::unique_ptr<Rewrite> make_unroll();
std::unique_ptr<Rewrite> make_warp_scan();
std::unique_ptr<Rewrite> make_warp_shuffle();
std::unique_ptr<Rewrite> make_widen_access();

}  // namespace kp::propose
