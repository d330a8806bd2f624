// SPDX-License-Identifier: Apache-2.0
// The only lists of proposers and rewrites.
#include "propose/catalog.h"

namespace kp::propose {

Result<std::unique_ptr<Proposer>> make_proposer(const std::string& name, const ProposerOptions&) {
  constexpr std::string_view kScripted = "scripted:";
  if (name == "rewriter") return make_rewriter();
  if (name.starts_with(kScripted)) return make_scripted(name.substr(kScripted.size()));
  return fail(ErrorCode::kNotFound, "no proposer is called '" + name + "'",
              "use rewriter, or scripted:FILE with a JSON list of proposals");
}

const std::vector<std::unique_ptr<Rewrite>>& rewrites() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Rewrite>> list;
    list.push_back(make_aggregate_atomics());
    list.push_back(make_block_size());
    list.push_back(make_coarsen_stencil());
    list.push_back(make_constant_index());
    list.push_back(make_fast_math());
    list.push_back(make_float_literals());
    list.push_back(make_grid_stride());
    list.push_back(make_launch_bounds());
    list.push_back(make_pad_shared());
    list.push_back(make_privatise());
    list.push_back(make_read_only_loads());
    list.push_back(make_row_per_warp());
    list.push_back(make_split_row());
    list.push_back(make_stage_rows());
    list.push_back(make_strength_reduce());
    list.push_back(make_swizzle_shared());
    list.push_back(make_table_to_shared());
    list.push_back(make_tensor_cores());
    list.push_back(make_tile_contraction());
    list.push_back(make_tile_through_shared());
    list.push_back(make_unroll());
    list.push_back(make_warp_scan());
    list.push_back(make_warp_shuffle());
    list.push_back(make_widen_access());
    return list;
  }();
  return all;
}

}  // namespace kp::propose
