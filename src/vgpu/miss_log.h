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
    bool partial = false;  // of a write
    bool late = false;
  };

  /// Whether what follows is asked by the second half of the blocks that run at a time: it shows
  /// what more blocks would find in the L2.
  void set_late(bool late);
  void read(std::uint64_t line, SectorMask mask) {
    ++read_lines_;
    append_line(line, mask, Traffic::kRead);
  }
  /// `partial`: some sector is not written in full.
  void write(std::uint64_t line, SectorMask mask, bool partial = false);
  /// `turns`: how often the L2 goes over each sector because lanes share an address; `traffic` is
  /// kAtomic or kReduction.
  void atomic(std::uint64_t line, SectorMask mask, Traffic traffic, unsigned turns);

  std::size_t size() const { return records_.size(); }
  Record operator[](std::size_t index) const;
  /// Sectors asked for, replayable or not; those of atomics once for each turn.
  std::uint64_t read_lines() const { return read_lines_; }
  std::uint64_t sectors(Traffic traffic) const { return sectors_[static_cast<unsigned>(traffic)]; }

 private:
  void append_line(std::uint64_t line, SectorMask mask, Traffic traffic, bool partial = false);
  bool extend(const Record& wanted);

  std::vector<std::uint64_t> records_;
  std::uint64_t sectors_[4]{};
  std::uint64_t read_lines_ = 0;
  bool late_ = false;
  std::size_t open_[2]{};  // index + 1 of the latest record of reads, of writes
};

/// Sectors, of what was replayed. Every dirty sector counts as one write-back, also when it is
/// still in the L2 at the end. The L2 is empty at the start; DRAM delivers 64 bytes, two sectors,
/// at a time. Reads of one line by SMs that share a way to the L2 at the same time reach it once.
struct L2Traffic {
  std::uint64_t sectors = 0;      // asked for: reads, writes, turns of atomics
  std::uint64_t merged = 0;       // of which another SM had just asked
  std::uint64_t hits = 0;         // of those that reach the L2; a write always hits
  std::uint64_t fills = 0;        // sectors read from DRAM
  std::uint64_t write_backs = 0;  // sectors written to DRAM
  std::uint64_t evicted = 0;      // of which they had to make room
  /// Fills and write-backs of at most 64 bytes far from what the SM asked for before. A sector that
  /// is written in part has to be read, too, and counts among the writes only.
  std::uint64_t scattered_fills = 0, scattered_writes = 0;
};
struct L2Replay {
  L2Traffic all, late;  // late: what the second half of the blocks asked
  // Of atomics: turns on the 512 bytes and on the sector that see most, on all, distinct sectors.
  std::uint64_t hottest_turns = 0, hottest_sector_turns = 0, turns = 0, atomic_sectors = 0;
};

/// Takes from each log in turn, in SM order, a few lines at a time, until all are empty. Lines of
/// the local window are private to their SM.
L2Replay replay(std::span<const MissLog* const> logs, std::uint64_t l2_bytes);

}  // namespace kp::vgpu
