// SPDX-License-Identifier: Apache-2.0
#include "vgpu/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.h"
#include "vgpu/bits.h"
#include "vgpu/runner.h"

namespace kp::vgpu {
namespace {

constexpr std::uint64_t kWorkspaceBytes = 256;  // cooperative groups use the first 8

/// The limits that no device spec changes (CUDA programming guide, compute capabilities).
constexpr std::uint64_t kMostGrid[3] = {0x7fff'ffff, 0xffff, 0xffff};
constexpr std::uint64_t kMostBlock[3] = {1024, 1024, 64};

std::optional<std::string> wrong_size(const DeviceSpec& spec, const Grid& grid) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    const char name = "xyz"[axis];
    if (grid.grid[axis] == 0 || grid.grid[axis] > kMostGrid[axis])
      return fmt::format("grid.{} is {}; it must be 1 to {}", name, grid.grid[axis],
                         kMostGrid[axis]);
    if (grid.block[axis] == 0 || grid.block[axis] > kMostBlock[axis])
      return fmt::format("block.{} is {}; it must be 1 to {}", name, grid.block[axis],
                         kMostBlock[axis]);
  }
  const std::uint64_t threads = std::uint64_t{grid.block[0]} * grid.block[1] * grid.block[2];
  if (threads > std::uint64_t(spec.threads_per_block))
    return fmt::format("a block of {} threads; {} allows {}", threads, spec.name,
                       spec.threads_per_block);
  return {};
}

std::optional<std::string> too_large(const Launch& launch) {
  const DeviceSpec& spec = launch.spec;
  if (launch.shared_bytes > std::uint64_t(spec.shared_per_block))
    return fmt::format(
        "needs {} bytes of shared memory per block ({} static, {} dynamic); {} has {}",
        launch.shared_bytes, launch.program.static_shared, launch.grid.dynamic_shared, spec.name,
        spec.shared_per_block);
  const std::uint64_t resident = std::uint64_t(spec.sm_count) * std::uint64_t(spec.blocks_per_sm);
  if (launch.grid.cooperative && launch.blocks > resident)
    return fmt::format("a cooperative launch of {} blocks; {} holds at most {} at once",
                       launch.blocks, spec.name, resident);
  return {};
}

Fault launch_fault(const Program& program, std::string message) {
  Fault fault;
  fault.kind = FaultKind::kOutOfResources;
  fault.message = "cannot be launched: " + std::move(message);
  fault.kernel = program.kernel;
  return fault;
}

bool takes_parameter_address(const Program& program) {
  return std::ranges::any_of(program.code,
                             [](const Instruction& in) { return in.kind == Kind::kGridConstant; });
}

}  // namespace

struct Machine::State {
  const DeviceSpec& spec;
  Memory& memory;
  struct Variable {
    std::uint64_t address = 0;
    std::vector<std::byte> content;  // with the addresses in it
    bool is_placed = false;
  };
  static std::string key_of(const StaticVariable& variable) {
    return fmt::format("{}:{}", variable.name, variable.bytes);
  }
  std::map<std::string, Variable> variables;  // by name and size: kernels of a module share them
  std::uint64_t workspace = 0;

  Result<std::uint64_t> address_of(const StaticVariable& wanted) {
    auto [at, is_new] = variables.try_emplace(key_of(wanted), Variable{});
    if (!is_new) return at->second.address;
    auto made = memory.allocate(wanted.bytes, fmt::format("variable {}", wanted.name));
    if (!made) {
      variables.erase(at);
      return made;
    }
    at->second.address = *made;
    at->second.content = wanted.initial;
    at->second.content.resize(wanted.bytes);
    return *made;
  }

  /// Initial values hold addresses of variables, which are known once all have theirs.
  Result<void> place_variables(Launch& launch) {
    const auto& statics = launch.program.statics;
    const std::size_t before = variables.size();
    for (const StaticVariable& each : statics) {
      KP_TRY(const std::uint64_t address, address_of(each));
      launch.statics.push_back(address);
    }
    if (variables.size() == before) return {};
    for (std::size_t i = 0; i < statics.size(); ++i) {
      Variable& variable = variables.at(key_of(statics[i]));
      if (variable.is_placed) continue;
      variable.is_placed = true;
      for (const auto& [offset, target] : statics[i].relocations)
        add_to(variable.content, offset, launch.statics[target]);
      memory.write(variable.address, variable.content);
    }
    return {};
  }

  /// Fills what the program needs in device memory.
  Result<void> bind(Launch& launch) {
    KP_TRY_VOID(place_variables(launch));
    if (!launch.grid.cooperative) return {};
    if (workspace == 0) {
      KP_TRY(workspace, memory.allocate(kWorkspaceBytes, "grid workspace"));
    }
    const std::vector<std::byte> zeroes(kWorkspaceBytes);
    memory.write(workspace, zeroes);
    launch.workspace = workspace;
    return {};
  }
};

Machine::Machine(const DeviceSpec& spec, Memory& memory) : state_(new State{spec, memory, {}, 0}) {}

Machine::~Machine() {
  for (const auto& [name, variable] : state_->variables) state_->memory.release(variable.address);
  if (state_->workspace != 0) state_->memory.release(state_->workspace);
}

void Machine::reset() {
  for (const auto& [name, variable] : state_->variables)
    state_->memory.write(variable.address, variable.content);
}

Result<LaunchResult> Machine::launch(const Program& program, const Grid& grid,
                                     const RunOptions& options) {
  LaunchResult result;
  Launch launch{program, grid, state_->spec, state_->memory};
  if (auto wrong = wrong_size(state_->spec, grid)) {
    result.fault = launch_fault(program, std::move(*wrong));
    return result;
  }
  launch.schedule_seed = options.schedule_seed;
  launch.threads = grid.block[0] * grid.block[1] * grid.block[2];
  launch.warps = (launch.threads + kLanes - 1) / kLanes;
  launch.blocks = std::uint64_t{grid.grid[0]} * grid.grid[1] * grid.grid[2];
  launch.shared_bytes = (program.static_shared + 15) / 16 * 16 + grid.dynamic_shared;
  if (auto wrong = too_large(launch)) {
    result.fault = launch_fault(program, std::move(*wrong));
    return result;
  }
  if (grid.parameters.size() < program.parameter_bytes)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} takes {} bytes of parameters, and {} were given", program.kernel,
                            program.parameter_bytes, grid.parameters.size()));
  // Lanes read parameters as aligned words.
  std::vector<std::uint64_t> words((grid.parameters.size() + 7) / 8);
  std::ranges::copy(grid.parameters, std::as_writable_bytes(std::span(words)).begin());
  launch.parameter_bytes = std::as_bytes(std::span(words)).first(grid.parameters.size());
  KP_TRY_VOID(state_->bind(launch));
  if (takes_parameter_address(program)) {
    KP_TRY(launch.parameters, state_->memory.allocate(grid.parameters.size(), "kernel parameters"));
    state_->memory.write(launch.parameters, grid.parameters);
  }
  RunOutcome outcome = run_grid(launch, options);
  if (launch.parameters != 0) state_->memory.release(launch.parameters);
  result.fault = std::move(outcome.fault);
  result.out_of_budget = outcome.out_of_budget && !result.fault;
  result.stopped = outcome.stopped;
  result.instructions = outcome.instructions;
  if (options.mode == Mode::kCount)
    result.counters = std::make_unique<GridCounters>(program, state_->spec,
                                                     std::move(outcome.counters), launch.blocks);
  return result;
}

}  // namespace kp::vgpu
