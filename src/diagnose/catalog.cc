// SPDX-License-Identifier: Apache-2.0
// The only list of tools.
#include <algorithm>

#include "diagnose/tool.h"

namespace kp::diagnose {

std::unique_ptr<Tool> make_atomic_contention();
std::unique_ptr<Tool> make_bank_conflict();
std::unique_ptr<Tool> make_barrier_stall();
std::unique_ptr<Tool> make_divergence();
std::unique_ptr<Tool> make_dram_traffic();
std::unique_ptr<Tool> make_instruction_mix();
std::unique_ptr<Tool> make_launch_overhead();
std::unique_ptr<Tool> make_launch_shape();
std::unique_ptr<Tool> make_memory_coalescing();
std::unique_ptr<Tool> make_occupancy_limiter();
std::unique_ptr<Tool> make_register_spill();
std::unique_ptr<Tool> make_shared_mem_tiling();
std::unique_ptr<Tool> make_tensor_core();
std::unique_ptr<Tool> make_vector_access();
std::unique_ptr<Tool> make_warp_stall();

const std::vector<std::unique_ptr<Tool>>& tools() {
  static const std::vector<std::unique_ptr<Tool>> all = [] {
    std::vector<std::unique_ptr<Tool>> list;
    for (auto* make :
         {make_atomic_contention, make_bank_conflict, make_barrier_stall, make_divergence,
          make_dram_traffic, make_instruction_mix, make_launch_overhead, make_launch_shape,
          make_memory_coalescing, make_occupancy_limiter, make_register_spill,
          make_shared_mem_tiling, make_tensor_core, make_vector_access, make_warp_stall}) {
      list.push_back(make());
    }
    return list;
  }();
  return all;
}

const Tool* find_tool(std::string_view name) {
  const auto found = std::find_if(tools().begin(), tools().end(),
                                  [&](const auto& tool) { return tool->about().name == name; });
  return found == tools().end() ? nullptr : found->get();
}

Verdict ask(const Tool& tool, const Evidence& evidence) {
  if (!tool.relevant(evidence.boundness)) return Silent{};
  for (const MetricKey& key : tool.needs()) {
    if (!evidence.get(key)) return unknown(key);
  }
  return tool.examine(evidence);
}

NotApplicable unknown(const MetricKey& key) {
  return {"metric " + std::string(key.name) + " is unknown"};
}

}  // namespace kp::diagnose
