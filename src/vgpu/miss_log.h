// SPDX-License-Identifier: Apache-2.0
// What the SMs ask of the L2: every SM logs it in order, and the logs are replayed together through
// one L2 in a fixed order. Used by the counters.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/cache.h"

namespace kp::vgpu {

enum class Traffic : std::uint8_t { kRead, kWrite, kAtomic, kReduction };

/// The requests of one SM, 8 bytes a record. Neighbouring lines with the same sectors share a
/// record. After kLimit records (8 MiB) the log is full: what follows is counted, not replayed.
class MissLog {
 public:
  static constexpr std::size_t kLimit = 1u << 20;

  struct Record {
    std::uint64_t line = 0;
    unsigned count = 1;  // lines; turns of an atomic or reduction
    SectorMask mask = 0;
    Traffic traffic = Traffic::kRead;
  };

  /// What follows belongs to the next block.
  void begin_block();
  void read(std::uint64_t line, SectorMask mask) { append_line(line, mask, Traffic::kRead); }
  void write(std::uint64_t line, SectorMask mask) { append_line(line, mask, Traffic::kWrite); }
  /// `turns`: how often the L2 goes over each sector because lanes share an address; `traffic` is
  /// kAtomic or kReduction.
  void atomic(std::uint64_t line, SectorMask mask, Traffic traffic, unsigned turns);

  std::size_t size() const { return records_.size(); }
  Record operator[](std::size_t index) const;
  /// The record with which the second half of the blocks starts; with one block, the first record.
  std::size_t second_half() const;
  /// Sectors asked for, replayable or not.
  std::uint64_t sectors(Traffic traffic) const { return sectors_[static_cast<unsigned>(traffic)]; }
  /// Turns of all atomics and reductions, over their sectors.
  std::uint64_t turns() const { return turns_; }

 private:
  void append_line(std::uint64_t line, SectorMask mask, Traffic traffic);
  bool extend(std::uint64_t line, SectorMask mask, Traffic traffic);

  std::vector<std::uint64_t> records_;
  std::vector<std::uint32_t> block_starts_;  // index of each block's first record
  std::uint64_t sectors_[4]{};
  std::uint64_t turns_ = 0;
  std::size_t open_[2]{};  // index + 1 of the latest record of reads, of writes
};

/// Sectors, of what was replayed. Every dirty sector counts as one write-back, also when it is
/// still in the L2 at the end. The L2 is empty at the start; DRAM
/// delivers 64 bytes, two sectors, at a time.
struct L2Traffic {
  std::uint64_t sectors = 0, hits = 0;  // reads, writes, atomics; a write always hits
  std::uint64_t fills = 0;              // sectors read from DRAM
  std::uint64_t write_backs = 0;        // sectors written to DRAM
};
struct L2Replay {
  L2Traffic all, second_half;  // the second half of every log shows the steady state
  // Of atomics: turns on the line and on the sector that see most, on all, distinct sectors.
  std::uint64_t hottest_turns = 0, hottest_sector_turns = 0, turns = 0, atomic_sectors = 0;
};

/// Takes from each log in turn, in SM order, a few lines at a time, until all are empty. Lines of
/// the local window are private to their SM.
L2Replay replay(std::span<const MissLog* const> logs, std::uint64_t l2_bytes);

}  // namespace kp::vgpu
