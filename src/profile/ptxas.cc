// SPDX-License-Identifier: Apache-2.0
#include "profile/ptxas.h"

#include <algorithm>

#include "base/check.h"
#include "vgpu/occupancy.h"

namespace kp::profile {
namespace {

void set(MetricSet& metrics, const MetricKey& key, double value) {
  // The first source to know a metric wins.
  if (!metrics.find(key.name)) metrics.set(key, value, Grade::kStatic);
}

double blocks_of(const task::ResolvedLaunch& shape) {
  return static_cast<double>(shape.grid[0]) * shape.grid[1] * shape.grid[2];
}
unsigned threads_of(const task::ResolvedLaunch& shape) {
  return shape.block[0] * shape.block[1] * shape.block[2];
}

void add_compiler_facts(MetricSet& metrics, const build::KernelResources& resources) {
  set(metrics, metric::kRegisters, resources.registers);
  set(metrics, metric::kSpillBytes,
      static_cast<double>(resources.spill_stores + resources.spill_loads));
  set(metrics, metric::kStackBytes, static_cast<double>(resources.stack));
}

void add_occupancy(MetricSet& metrics, const DeviceSpec& spec, const vgpu::BlockResources& block,
                   double blocks) {
  const vgpu::Occupancy fit = vgpu::occupancy(spec, block);
  set(metrics, metric::kTheoreticalOccupancy, 100 * fit.fraction);
  set(metrics, metric::kLimitRegisters, fit.limit_registers);
  set(metrics, metric::kLimitShared, fit.limit_shared);
  set(metrics, metric::kLimitWarps, fit.limit_warps);
  set(metrics, metric::kLimitBlocks, fit.limit_blocks);
  if (fit.blocks_per_sm > 0)
    set(metrics, metric::kWaves, blocks / (fit.blocks_per_sm * spec.sm_count));
}

void add_launch(MetricSet& metrics, const ProfileRequest& request,
                const device::BoundLaunch& launch) {
  const double blocks = blocks_of(launch.shape);
  const unsigned threads = threads_of(launch.shape);
  set(metrics, metric::kBlockSize, threads);
  set(metrics, metric::kGridSize, blocks);
  const build::KernelResources* resources = request.binary.find_resources(launch.kernel);
  if (resources == nullptr) return;
  add_compiler_facts(metrics, *resources);
  const std::uint64_t shared =
      static_cast<std::uint64_t>(resources->static_shared) + launch.shape.shared_bytes;
  set(metrics, metric::kSharedPerBlock, static_cast<double>(shared));
  add_occupancy(metrics, request.device.spec,
                {.threads = threads,
                 .registers = static_cast<unsigned>(resources->registers),
                 .shared_bytes = shared,
                 .barriers = static_cast<unsigned>(std::max(resources->barriers, 1))},
                blocks);
}

class PtxasSource : public Source {
 public:
  std::string_view name() const override { return "ptxas"; }
  bool serves(const device::Description&) const override { return true; }
  bool asks_device() const override { return false; }
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    for (KernelProfile& kernel : profile.kernels) {
      const auto step = static_cast<std::size_t>(kernel.launch);
      KP_CHECK(step < request.steps.size(),
               "a profile has one entry for each launch of the request");
      add_launch(kernel.metrics, request, std::get<device::BoundLaunch>(request.steps[step]));
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Source> ptxas_source() { return std::make_unique<PtxasSource>(); }

}  // namespace kp::profile
