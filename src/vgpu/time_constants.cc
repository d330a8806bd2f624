// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.h"
#include "vgpu/time_model.h"

namespace kp::vgpu {
namespace {

struct Key {
  const char* name;
  double TimeConstants::*member;
};
#define KP_KEY(name) \
  Key { #name, &TimeConstants::name }
constexpr std::array kKeys{
    KP_KEY(latency_alu),
    KP_KEY(latency_fp64),
    KP_KEY(latency_xu),
    KP_KEY(latency_tensor),
    KP_KEY(latency_shuffle),
    KP_KEY(latency_shared),
    KP_KEY(latency_l1),
    KP_KEY(latency_l2),
    KP_KEY(latency_dram),
    KP_KEY(barrier_cycles),
    KP_KEY(block_start_cycles),
    KP_KEY(lanes_fp32),
    KP_KEY(lanes_fp16),
    KP_KEY(lanes_int),
    KP_KEY(lanes_fp64),
    KP_KEY(lanes_xu),
    KP_KEY(lanes_conversion),
    KP_KEY(lanes_conversion_wide),
    KP_KEY(lanes_shuffle),
    KP_KEY(mma_per_cycle),
    KP_KEY(l1_wavefronts),
    KP_KEY(l2_sm_bytes),
    KP_KEY(l2_sustained),
    KP_KEY(atomic_turns),
    KP_KEY(launch_overhead),
    KP_KEY(line_turns),
    KP_KEY(line_turns_float),
    KP_KEY(latency_line),
    KP_KEY(barrier_warp_cycles),
    KP_KEY(lanes_multiply),
    KP_KEY(constant_words),
    KP_KEY(l2_small_writes),
    KP_KEY(l2_read_lines),
    KP_KEY(dram_scattered_reads),
    KP_KEY(dram_scattered_writes),
    KP_KEY(warp_start_cycles),
    KP_KEY(block_launch_cycles),
    KP_KEY(overlap_exponent),
};
#undef KP_KEY

}  // namespace

Result<TimeConstants> time_constants(const DeviceSpec& spec) {
  TimeConstants constants;
  std::vector<std::string> missing;
  for (const Key& key : kKeys) {
    const auto found = spec.model.find(key.name);
    if (found == spec.model.end() || !(found->second > 0)) {
      missing.emplace_back(key.name);
    } else {
      constants.*key.member = found->second;
    }
  }
  if (missing.empty()) return constants;
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("the table [model] of device spec `{}` lacks positive numbers for: {}", spec.name,
                  join(missing, ", ")),
      "copy the table from specs/h200.toml and adapt it; docs/time-model.md explains the keys");
}

}  // namespace kp::vgpu
