// SPDX-License-Identifier: Apache-2.0
// A block that runs: its warps, its shared and local memory, its named barriers. One Block is a
// slot of an SM that many blocks of the grid pass through; schedule.h owns slots.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/launch.h"
#include "vgpu/warp.h"

namespace kp::vgpu {

class Checks;

inline constexpr unsigned kBarriers = 16;

/// One named barrier between two completions.
struct Barrier {
  std::vector<std::uint32_t> arrived;  // lanes, by warp
  std::uint32_t expected = 0;          // threads, in whole warps; 0: all warps of the block
  std::uint32_t pc = 0;                // of the arrival that opened it
  std::uint32_t votes = 0;             // threads with a true predicate
  std::uint32_t voters = 0;
  bool open = false;
};

class Block {
 public:
  /// A slot on `sm`, the `slot`-th there. Registers and shared memory start as zeroes; what a block
  /// leaves behind is what the next one finds, as on the device.
  Block(const Launch& launch, std::uint32_t sm, std::uint32_t slot, Checks* checks);

  /// Takes over block `index` of the grid; its threads stand at the first instruction.
  void begin(std::uint64_t index);
  bool done() const;
  /// Sets the fault (the first one stays), with the thread of `lane`. Returns false.
  bool fail(FaultKind kind, std::string message, std::uint32_t pc, const Warp& warp, unsigned lane);

  /// The lanes of `warp` in `active` arrive at a barrier instruction. Completes the barrier if they
  /// are the last; returns whether they go on at once.
  bool arrive(Warp& warp, Split& split, const Instruction& in);
  /// To be called after lanes have exited: barriers and collectives may have waited for them.
  void after_exit(Warp& warp);
  /// A fault that names who waits and who does not. To be called when no warp can run.
  void report_deadlock();

  const Launch& launch;
  const std::uint32_t sm, slot;
  Checks* const checks;  // null outside of check mode
  std::uint64_t index = 0;
  std::uint32_t position[3]{};
  std::vector<Warp> warps;
  std::vector<std::byte> shared;
  std::optional<Fault> fault;
  std::uint64_t clock = 0;  // of the slot, see Kind::kClock

  /// Local memory of a lane: Program::local_bytes.
  std::byte* local(const Warp& warp, unsigned lane) {
    return local_.get() + (warp.number * kLanes + lane) * launch.program.local_bytes;
  }

 private:
  void complete_if_full(std::uint32_t number);
  void release(std::uint32_t number);

  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::vector<std::byte> files_;
  std::unique_ptr<std::byte[], Free> local_;  // pages that nobody touches cost nothing
  Barrier barriers_[kBarriers];
};

/// CUDA line of an instruction, or its line in the PTX text.
SourceSpot spot_of(const Program& program, std::uint32_t pc);
/// "line 12 of softmax.cu"; for messages that name several places.
std::string place_of(const Program& program, std::uint32_t pc);

}  // namespace kp::vgpu
