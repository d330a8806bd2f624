// SPDX-License-Identifier: Apache-2.0
// Executes launches. Values are exact and the same for every number of host threads.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "base/stop.h"
#include "model/device_spec.h"
#include "model/evaluation.h"
#include "vgpu/counters.h"
#include "vgpu/memory.h"
#include "vgpu/program.h"

namespace kp::vgpu {

enum class Mode {
  kValues,  // results only; still bounds-checked
  kCheck,   // + races, uninitialised data, divergent barriers; one host thread
  kCount,   // + counters
};

struct Grid {
  std::uint32_t grid[3]{1, 1, 1};
  std::uint32_t block[3]{1, 1, 1};
  std::uint64_t dynamic_shared = 0;
  std::span<const std::byte> parameters;  // packed by Program::parameters
  bool cooperative = false;
};

struct RunOptions {
  Mode mode = Mode::kValues;
  std::uint64_t schedule_seed = 0;  // 0: natural order; else block and warp order permuted by it
  std::uint64_t instruction_budget = 0;  // warp instructions for the launch; 0: none
  std::uint64_t sample_blocks = 0;       // kCount: execute at most about this many blocks; 0: all
  unsigned threads = 0;                  // host threads; 0: all available
  const StopFlag* stop = nullptr;
};

struct Fault {
  FaultKind kind = FaultKind::kMemory;
  std::string
      message;  // "reads 4 bytes at 0x7000..., 4 bytes past the end of tensor x (16384 bytes)"
  std::string kernel;
  SourceSpot spot;  // CUDA line, or PTX line of kernel.ptx
  std::uint32_t block[3]{}, thread[3]{};
};

struct LaunchResult {
  std::optional<Fault> fault;              // the first in a fixed order
  bool out_of_budget = false;              // runaway: a TimedOut, not a fault
  bool stopped = false;                    // StopFlag
  std::uint64_t instructions = 0;          // warp instructions executed
  std::unique_ptr<GridCounters> counters;  // kCount
};

/// A program bound to a memory: module variables are allocated once and keep their content between
/// launches until reset().
class Machine {
 public:
  Machine(const DeviceSpec& spec, Memory& memory);
  ~Machine();
  /// Errors (world): out of host memory. A bad kernel is a fault in the result.
  Result<LaunchResult> launch(const Program& program, const Grid& grid, const RunOptions& options);
  /// Gives all module variables their initial values again.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kp::vgpu
