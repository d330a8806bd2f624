// SPDX-License-Identifier: Apache-2.0
// Check mode of one block slot: which registers and bytes are defined, and the block's part in race
// detection. docs/vgpu-checks.md describes the rules. The executor calls it in check mode only;
// what returns bool returns false after it has set Block::fault.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "vgpu/access.h"
#include "vgpu/races.h"

namespace kp::vgpu {

/// Bytes of one lane's part of an access.
struct LaneBytes {
  unsigned lane = 0;
  unsigned at = 0;  // behind the lane's address
  unsigned count = 0;
};

class Checks {
 public:
  /// `races` is shared by all slots of a launch.
  Checks(const Launch& launch, Races& races);

  /// A new block starts in the slot: only constants and special registers are defined.
  void begin(const Block& block);

  // Registers. A register of `slots` slots is defined in a lane when all its slots are.
  std::uint32_t defined(const Warp& warp, std::uint32_t reg, unsigned slots) const;
  void define(const Warp& warp, std::uint32_t reg, unsigned slots, std::uint32_t lanes,
              std::uint32_t bits);
  /// Runs the instruction's arithmetic and marks its results: a result is undefined when it changes
  /// with the undefined sources.
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
  /// One active lane.
  bool atomic(const Frame& frame, const Access& access, const Lanes& lanes);
  /// `extent` bytes behind each active lane's address are read; clears the bits of lanes that read
  /// undefined bytes.
  bool read(const Frame& frame, const Lanes& lanes, unsigned extent, std::uint32_t& defined);
  /// Writes the bytes behind a lane's address, and marks them.
  bool write(const Frame& frame, const Lanes& lanes, unsigned lane,
             std::span<const std::byte> bytes, bool defined);
  /// As write, of an asynchronous copy to shared memory: undefined until the thread has waited.
  bool copy(const Frame& frame, const Lanes& lanes, unsigned lane, std::span<const std::byte> bytes,
            bool defined);
  /// Kind::kAsyncWait.
  void wait_for_copies(const Warp& warp, const Instruction& in, std::uint32_t active);
  /// The lanes use a synchronisation object.
  bool synchronise(const Frame& frame, const Lanes& lanes);

  // Order between threads.
  void meet(const Warp& warp, std::uint32_t lanes);
  void arrive(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier);
  void release(Block& block, const Barrier& barrier, std::uint32_t number);
  void fence() { fenced_ = true; }

 private:
  struct Shadow;  // where the bytes of a lane have their bits and cells
  Shadow shadow_of(const Frame& frame, const Lanes& lanes, unsigned lane);
  bool touch(const Frame& frame, const Lanes& lanes, LaneBytes bytes, Touch touch);
  bool bytes_defined(const Frame& frame, const Lanes& lanes, LaneBytes bytes);
  void define_bytes(const Frame& frame, const Lanes& lanes, LaneBytes bytes, bool on);
  bool put(const Frame& frame, const Lanes& lanes, LaneBytes place, const std::byte* from,
           Touch kind);
  void acquire(const Frame& frame, const Lanes& lanes, unsigned lane);
  void release_at(const Frame& frame, const Lanes& lanes, unsigned lane);
  int& location(const Frame& frame, const Lanes& lanes, unsigned lane);
  bool undefined(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t lanes,
                 std::string_view what);
  void alu_with_undefined(const Warp& warp, const Instruction& in, std::uint32_t active);

  const Launch& launch_;
  Races& races_;
  Order order_;
  RaceShadow shared_races_;
  std::unordered_map<std::uint64_t, int> shared_locations_;  // as Races::global_locations
  bool fenced_ = false;  // some thread of the block has executed a fence
  /// Copies that a thread has not waited for, oldest first, in groups; the last one is open.
  struct Copied {
    std::uint64_t at = 0;
    unsigned bytes = 0;
  };
  std::unordered_map<std::uint32_t, std::vector<std::vector<Copied>>> copies_;
  std::size_t slots_per_warp_;
  std::vector<std::uint32_t> registers_;       // lanes by slot, by warp
  std::vector<std::uint64_t> shared_, local_;  // one bit a byte
};

}  // namespace kp::vgpu
