// SPDX-License-Identifier: Apache-2.0
#include "device/vgpu_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/parse.h"
#include "vgpu/occupancy.h"

namespace kp::device {
namespace {

/// What the compiler knows of a kernel; without it the least there is.
unsigned registers_of(const build::Binary& binary, std::string_view kernel) {
  constexpr unsigned kLeast = 16;
  const build::KernelResources* resources = binary.find_resources(kernel);
  return resources != nullptr && resources->registers > 0
             ? static_cast<unsigned>(resources->registers)
             : kLeast;
}

Crashed does_not_launch(const BoundLaunch& launch, const std::string& reason) {
  return {FaultKind::kOutOfResources, "cannot be launched: " + reason, launch.kernel, {}};
}

/// Dynamic shared memory follows the static part at the next multiple of 16.
std::uint64_t shared_bytes(const BoundLaunch& launch, const vgpu::Program& program) {
  return (program.static_shared + 15) / 16 * 16 + launch.shape.shared_bytes;
}

}  // namespace

Result<std::variant<std::unique_ptr<VgpuModule>, Crashed>> load_module(const build::Binary& binary,
                                                                       const DeviceSpec& spec,
                                                                       vgpu::Memory& memory) {
  KP_TRY(const ptx::Module parsed, ptx::parse(binary.ptx).within("read the compiler's PTX"));
  auto module = std::make_unique<VgpuModule>(spec, memory);
  for (const build::KernelSignature& signature : binary.signatures) {
    Result<vgpu::Program> program = vgpu::lower(parsed, signature.kernel);
    if (!program && program.error().code == ErrorCode::kUnsupported) {
      return Crashed{FaultKind::kUnsupported, program.error().message, signature.kernel,
                     program.error().spot};
    }
    if (!program) return tl::unexpected<Error>(std::move(program).error());
    program->registers = registers_of(binary, signature.kernel);
    if (const auto* resources = binary.find_resources(signature.kernel); resources != nullptr) {
      program->spill_stores =
          static_cast<std::uint64_t>(std::max<std::int64_t>(resources->spill_stores, 0));
      program->spill_loads =
          static_cast<std::uint64_t>(std::max<std::int64_t>(resources->spill_loads, 0));
    }
    module->kernels[signature.kernel] = {*std::move(program),
                                         registers_of(binary, signature.kernel)};
  }
  return module;
}

vgpu::LaunchShape shape_of(const BoundLaunch& launch, const VgpuModule::Kernel& kernel) {
  const std::uint32_t* grid = launch.shape.grid;
  const std::uint32_t* block = launch.shape.block;
  return {.blocks = std::uint64_t{grid[0]} * grid[1] * grid[2],
          .threads = block[0] * block[1] * block[2],
          .shared_bytes = shared_bytes(launch, kernel.program),
          .registers = kernel.registers};
}

vgpu::Grid grid_of(const BoundLaunch& launch) {
  vgpu::Grid grid;
  std::copy_n(launch.shape.grid, 3, grid.grid);
  std::copy_n(launch.shape.block, 3, grid.block);
  grid.dynamic_shared = launch.shape.shared_bytes;
  grid.parameters = launch.parameters;
  grid.cooperative = launch.shape.launch != nullptr && launch.shape.launch->cooperative;
  return grid;
}

std::optional<Crashed> does_not_fit(const DeviceSpec& spec, const BoundLaunch& launch,
                                    const VgpuModule::Kernel& kernel) {
  const vgpu::LaunchShape shape = shape_of(launch, kernel);
  const vgpu::Occupancy fit = vgpu::occupancy(
      spec,
      {.threads = shape.threads, .registers = shape.registers, .shared_bytes = shape.shared_bytes});
  if (shape.threads > static_cast<unsigned>(spec.threads_per_block)) {
    return does_not_launch(launch, fmt::format("a block of {} threads; {} allows {}", shape.threads,
                                               spec.name, spec.threads_per_block));
  }
  if (fit.limit_shared == 0) {
    return does_not_launch(
        launch,
        fmt::format("needs {} bytes of shared memory per block ({} static, {} dynamic); {} has {}",
                    shape.shared_bytes, kernel.program.static_shared, launch.shape.shared_bytes,
                    spec.name, spec.shared_per_block));
  }
  if (fit.blocks_per_sm == 0) {
    return does_not_launch(launch,
                           fmt::format("{} threads per block with {} registers each; the {} "
                                       "registers of an SM allow {} threads",
                                       shape.threads, shape.registers, spec.registers_per_sm,
                                       vgpu::threads_for(spec, shape.registers)));
  }
  const auto resident = static_cast<std::uint64_t>(fit.blocks_per_sm * spec.sm_count);
  if (grid_of(launch).cooperative && shape.blocks > resident) {
    return does_not_launch(
        launch,
        fmt::format("a cooperative launch of {} blocks; {} holds {} of them at once ({} per SM)",
                    shape.blocks, spec.name, resident, fit.blocks_per_sm));
  }
  return {};
}

Crashed crash_of(const vgpu::Fault& fault) {
  return {
      .fault = fault.kind, .message = fault.message, .kernel = fault.kernel, .spot = fault.spot};
}

}  // namespace kp::device
