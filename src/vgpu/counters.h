// SPDX-License-Identifier: Apache-2.0
// What the virtual GPU counts. One SmCounters follows the blocks of one SM in order, with that SM's
// L1; the executor feeds it in count mode. GridCounters adds the SMs up and replays the L1 misses
// through the L2 in a fixed order, so that counts do not depend on the host's cores.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/device_spec.h"
#include "model/profile.h"
#include "vgpu/program.h"

namespace kp::vgpu {

class L1Traffic;

/// Of one instruction of the program, over all blocks counted.
struct InstructionCount {
  std::uint64_t issued = 0;  // warp instructions
  /// Also by warps all of whose lanes branched around it, where the real machine has a predicate
  /// for that branch. Known in GridCounters only.
  std::uint64_t fetched = 0;
  std::uint64_t lanes = 0;      // active lanes, predicate included ("pred on")
  std::uint64_t lanes_all = 0;  // active lanes before the guard predicate
};
/// Of one memory instruction.
struct AccessCount {
  std::uint64_t requests = 0;      // warp requests
  std::uint64_t sectors = 0;       // 32-byte sectors (global, local)
  std::uint64_t lines = 0;         // 128-byte lines (global, local): tag look-ups
  std::uint64_t ideal = 0;         // sectors that the same bytes need when packed
  std::uint64_t bytes = 0;         // distinct useful bytes (global, local; shared: of atomics)
  std::uint64_t lane_bytes = 0;    // bytes moved by lanes
  std::uint64_t unit_stride = 0;   // requests whose active lanes lie side by side
  std::uint64_t wavefronts = 0;    // shared
  std::uint64_t conflicts = 0;     // shared: wavefronts beyond the fewest possible
  std::uint64_t hits = 0;          // L1 sector hits (global, local loads)
  std::uint64_t same_address = 0;  // atomics: lanes that share an address with another lane
  std::uint64_t small_lines = 0;   // stores: lines of which they write less than a sector
  std::uint64_t words = 0;         // constant memory: distinct words, one look-up each
  AccessCount& operator+=(const AccessCount& other);
};

class SmCounters {
 public:
  /// `program` must outlive this. The L1 is what the shared memory of the resident blocks leaves of
  /// DeviceSpec::l1_bytes; `threads` per block tell how many blocks those can be.
  SmCounters(const Program& program, const DeviceSpec& spec, std::uint64_t shared_per_block,
             unsigned threads = 1024);
  ~SmCounters();
  SmCounters(SmCounters&&) noexcept;

  /// One warp instruction; `lanes` after the guard, `all` before it.
  void issue(std::uint32_t pc, std::uint32_t lanes, std::uint32_t all) {
    auto& count = instructions_[pc];
    ++count.issued;
    count.lanes += static_cast<unsigned>(__builtin_popcount(lanes));
    count.lanes_all += static_cast<unsigned>(__builtin_popcount(all));
  }
  /// A global or local access: `addresses[l]` is valid for l in `active`; bytes per lane, at
  /// most 32. Local addresses are what the thread sees, offsets or generic; `warp` is the warp's
  /// number in its block.
  void global(std::uint32_t pc, std::span<const std::uint64_t, kLanes> addresses,
              std::uint32_t active, unsigned lane_bytes, unsigned warp = 0);
  /// A shared access: `offsets[l]` from the start of the block's shared memory; at most 16 bytes
  /// per lane.
  void shared(std::uint32_t pc, std::span<const std::uint32_t, kLanes> offsets,
              std::uint32_t active, unsigned lane_bytes);
  /// A block of this SM starts / ends (counts blocks and warps; the L1 keeps its content).
  void block_begin(unsigned warps);

 private:
  friend class GridCounters;
  /// Whether a call for one element of a matrix fragment stands for no request of its own.
  bool joins_fragment(std::uint32_t access);

  const Program* program_;
  std::vector<InstructionCount> instructions_;
  std::vector<AccessCount> accesses_;  // by Program::accesses index
  std::vector<std::uint8_t> fragment_calls_;
  std::unique_ptr<L1Traffic> l1_;
  std::uint64_t blocks_ = 0, warps_ = 0;
  unsigned warps_in_block_ = 1;
};

/// Totals of a launch. "Unscaled" numbers are of the blocks that ran; times scale() they stand for
/// the grid.
class GridCounters {
 public:
  /// `sms` in SM order; `blocks_in_grid` tells how much was left out by sampling.
  GridCounters(const Program& program, const DeviceSpec& spec, std::vector<SmCounters> sms,
               std::uint64_t blocks_in_grid);
  const std::vector<InstructionCount>& instructions() const { return instructions_; }
  const std::vector<AccessCount>& accesses() const { return accesses_; }
  double scale() const { return scale_; }                 // grid blocks per counted block
  std::uint64_t blocks = 0, warps = 0;                    // unscaled
  std::uint64_t l1_sectors = 0, l1_hits = 0;              // of loads; unscaled
  std::uint64_t l1_store_sectors = 0, l1_store_hits = 0;  // unscaled
  std::uint64_t l2_sectors = 0;     // that SMs ask for, an atomic's once for each turn; unscaled
  std::uint64_t l2_read_lines = 0;  // requests for them, by line; unscaled
  std::uint64_t l2_write_sectors = 0, atom_sectors = 0,
                red_sectors = 0;           // part of l2_sectors; unscaled
  std::uint64_t busiest_sm_issues = 0;     // machine instructions of the SM that has most; unscaled
  std::uint64_t hottest_turns = 0;         // of atomics on the 512 bytes that see most; unscaled
  std::uint64_t hottest_sector_turns = 0;  // on one sector; unscaled
  double atomic_hotness = 0;  // turns of the busiest 32-byte sector over the mean; 0: no atomics
  std::uint64_t atomic_turns =
      0;  // over all sectors: 1 each, more when lanes share an address; unscaled
  /// Of the whole grid. What was not replayed through the L2 (blocks left out, logs that were full)
  /// goes on as the second half of the blocks did: data that all blocks read is fetched once, not
  /// scaled.
  double l2_hits = 0, dram_read_bytes = 0;
  double dram_write_bytes = 0;    // also what is still in the L2 at the end
  double dram_evicted_bytes = 0;  // what had to leave the L2 before the end
  double l2_merged_sectors = 0;  // asked for by neighbouring SMs at a time: the L2 sees one of them
  /// Part of the DRAM traffic: read and written in pieces that lie far apart.
  double scattered_read_bytes = 0, scattered_write_bytes = 0;

 private:
  void add(SmCounters& sm);
  void find_fetched(std::vector<InstructionCount>& counts) const;
  void extrapolate(const std::vector<SmCounters>& sms, std::int64_t l2_bytes);

  const Program* program_;
  std::vector<InstructionCount> instructions_;
  std::vector<AccessCount> accesses_;
  double scale_ = 1;
};

/// Metrics under their public names and the per-line table; all graded modelled, scaled to the
/// grid.
MetricSet metrics_of(const Program& program, const GridCounters& counters);
std::vector<LineProfile> lines_of(const Program& program, const GridCounters& counters);

}  // namespace kp::vgpu
