// SPDX-License-Identifier: Apache-2.0
#include "diagnose/blocks.h"

#include <cmath>

#include "diagnose/warp.h"

namespace kp::diagnose {

std::optional<vgpu::BlockResources> block_of(const KernelProfile& kernel) {
  const std::optional<double> threads = kernel.metrics.get(metric::kBlockSize);
  const std::optional<double> registers = kernel.metrics.get(metric::kRegisters);
  const std::optional<double> shared = kernel.metrics.get(metric::kSharedPerBlock);
  if (!threads || !registers || !shared) return std::nullopt;
  return vgpu::BlockResources{.threads = static_cast<unsigned>(*threads),
                              .registers = static_cast<unsigned>(*registers),
                              .shared_bytes = static_cast<std::uint64_t>(*shared)};
}

std::optional<double> waves_of(const Evidence& evidence) {
  if (const std::optional<double> waves = evidence.get(metric::kWaves)) return waves;
  const std::optional<double> grid = evidence.get(metric::kGridSize);
  const std::optional<vgpu::BlockResources> block = block_of(evidence.kernel);
  if (!grid || !block) return std::nullopt;
  const int resident = vgpu::occupancy(evidence.device, *block).blocks_per_sm;
  if (resident == 0) return std::nullopt;
  return *grid / (resident * evidence.device.sm_count);
}

std::optional<double> warps_of(const Evidence& evidence) {
  const std::optional<double> threads = evidence.get(metric::kBlockSize);
  const std::optional<double> grid = evidence.get(metric::kGridSize);
  if (!threads || !grid) return std::nullopt;
  return *grid * std::ceil(*threads / kLanesPerWarp);
}

}  // namespace kp::diagnose
