// SPDX-License-Identifier: Apache-2.0
// The L1 of one SM and what its resident warps ask of it. Warps execute one after the other here;
// their requests are kept until those of as many blocks as the SM holds are there, and then go
// through the L1 in turn, one request of each warp at a time. Used by the counters.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/cache.h"
#include "vgpu/footprint.h"
#include "vgpu/miss_log.h"

namespace kp::vgpu {

/// Sums of one memory instruction (L1 hits) or of all.
struct L1Sums {
  std::uint64_t load_sectors = 0, load_hits = 0;
  std::uint64_t store_sectors = 0, store_hits = 0;
};

class L1Traffic {
 public:
  L1Traffic(std::uint64_t l1_bytes, std::size_t accesses, unsigned resident_blocks)
      : l1_(l1_bytes), hits_(accesses, 0), resident_(resident_blocks) {}

  void begin_block(unsigned warps);
  /// The number of the running block among those that are resident.
  unsigned slot() const { return slot_; }
  /// `access` numbers the memory instruction, `warp` the warp in its block. Loads that `bypass` the
  /// L1 miss it.
  void load(std::uint32_t access, unsigned warp, const Footprint& print, bool bypass);
  void store(std::uint32_t access, unsigned warp, const Footprint& print);
  /// kAtomic or kReduction.
  void atomic(std::uint32_t access, unsigned warp, std::span<const SectorTurns> sectors,
              Traffic traffic);
  /// What is kept goes through the L1 now; at the end, or when nothing else comes.
  void finish();

  const MissLog& log() const { return log_; }
  const L1Sums& sums() const { return sums_; }
  std::uint64_t hits(std::size_t access) const { return hits_[access]; }  // sectors of loads

 private:
  enum class Kind : std::uint8_t { kLoad, kBypass, kStore, kPartialStore, kAtomic, kReduction };
  /// One line of one request.
  struct Touch {
    std::uint64_t line = 0;
    std::uint32_t access = 0;
    std::uint16_t turns = 0;  // of atomics
    std::uint8_t mask = 0;
    Kind kind = Kind::kLoad;
    bool last = true;  // of its request
  };
  static constexpr std::size_t kMostKept = 1u << 16;  // touches

  std::vector<Touch>& queue_of(unsigned warp);
  void keep(unsigned warp, Touch touch);
  void pass(const Touch& touch);
  void load(const Touch& touch);
  void store(const Touch& touch);

  SectoredCache l1_;
  MissLog log_;
  L1Sums sums_;
  std::vector<std::uint64_t> hits_;
  unsigned resident_ = 1, slot_ = 0, begun_ = 0, warps_ = 1;
  std::uint64_t groups_ = 0;                // of blocks that are through
  std::vector<std::vector<Touch>> queues_;  // by slot and warp
  std::size_t kept_ = 0;
};

}  // namespace kp::vgpu
