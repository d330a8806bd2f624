// SPDX-License-Identifier: Apache-2.0
// Check mode of one block slot: which registers and bytes are defined, and the block's part in race
// detection. docs/vgpu-checks.md describes the rules. The executor calls it in check mode only;
// what returns bool returns false after it has set Block::fault.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/access.h"

namespace kp::vgpu {

class Races;

class Checks {
 public:
  /// `races` is shared by all slots of a launch.
  Checks(const Launch& launch, Races& races);

  /// A new block starts in the slot: only constants, special registers and what memory.h calls
  /// defined are defined.
  void begin(Block& block);

  // Registers. A register of `slots` slots is defined in a lane when all its slots are.
  std::uint32_t defined(const Warp& warp, std::uint32_t reg, unsigned slots) const;
  void define(const Warp& warp, std::uint32_t reg, unsigned slots, std::uint32_t lanes,
              std::uint32_t bits);
  /// Runs the instruction's arithmetic and marks its results.
  void alu(const Warp& warp, const Instruction& in, std::uint32_t active);
  /// The guard of the instruction at `pc` decides over `mask`.
  bool guard(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t mask);
  bool address(const Frame& frame, const Request& request, std::uint32_t active);
  /// The 32-bit register that a branch table, a barrier or a collective decides by.
  bool decides(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t reg,
               std::uint32_t active);

  // Memory.
  bool load(const Frame& frame, const Access& access, const Lanes& lanes);
  bool store(const Frame& frame, const Access& access, const Lanes& lanes);
  bool atomic(const Frame& frame, const Access& access, const Lanes& lanes);
  /// `extent` bytes behind each active lane's address are read; clears the bits of lanes that read
  /// undefined bytes.
  bool read(const Frame& frame, const Lanes& lanes, unsigned extent, std::uint32_t& defined);
  /// Writes the bytes, and marks them.
  bool write(const Frame& frame, const Lanes& lanes, unsigned lane,
             std::span<const std::byte> bytes, bool defined);
  /// The lanes use a synchronisation object.
  bool synchronise(const Frame& frame, const Lanes& lanes);

  // Order between threads.
  void meet(const Block& block, const Warp& warp, std::uint32_t lanes);
  void arrive(const Block& block, const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
  void release(Block& block, const Barrier& barrier, std::uint32_t number);

 private:
  std::uint32_t* slots_of(const Warp& warp) {
    return registers_.data() + std::size_t{warp.number} * slots_per_warp_;
  }
  const std::uint32_t* slots_of(const Warp& warp) const {
    return registers_.data() + std::size_t{warp.number} * slots_per_warp_;
  }
  bool all_defined(const Frame& frame, const Lanes& lanes, unsigned lane, unsigned at,
                   unsigned bytes) const;
  void set_defined(const Frame& frame, const Lanes& lanes, unsigned lane, unsigned bytes, bool on);

  const Launch& launch_;
  Races& races_;
  std::size_t slots_per_warp_;
  std::vector<std::uint32_t> registers_;       // lanes by slot, by warp
  std::vector<std::uint64_t> shared_, local_;  // one bit a byte
};

}  // namespace kp::vgpu
