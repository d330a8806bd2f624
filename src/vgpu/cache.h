// SPDX-License-Identifier: Apache-2.0
// A cache as the counters need it: which sectors are there, not what is in them. Used for the L1 of
// one SM and for the L2.
//
// Lines of 128 bytes with four 32-byte sectors, filled sector by sector; 16 ways with exact LRU;
// the set is a hash of the line number, so that power-of-two strides do not pile up in one set.
#pragma once
#include <cstdint>
#include <vector>

namespace kp::vgpu {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kLineBytes = 128;
inline constexpr unsigned kSectorsPerLine = kLineBytes / kSectorBytes;

/// Bit s of a mask stands for sector s of the line.
using SectorMask = std::uint32_t;

class SectoredCache {
 public:
  /// Less than one set (2 KiB) is no cache at all: every access misses.
  explicit SectoredCache(std::uint64_t bytes);

  /// The sectors of `mask` that were present. All of them are present afterwards.
  SectorMask read(std::uint64_t line, SectorMask mask);
  /// The sectors of `mask` that were not dirty before. All of them are present and dirty
  /// afterwards: each such change of state is one write-back, at eviction or at the end.
  SectorMask write(std::uint64_t line, SectorMask mask);
  /// For a write that goes through: whether the line is there. It is afterwards, with the sectors
  /// that it had.
  bool touch(std::uint64_t line);
  /// Dirty sectors that had to make room so far.
  std::uint64_t evicted_dirty() const { return evicted_dirty_; }
  /// Forgets the sectors without writing them back.
  void invalidate(std::uint64_t line, SectorMask mask);

 private:
  /// An entry is (line + 1) << 8 | dirty << 4 | present; a set is ordered from most to least
  /// recent.
  std::uint64_t* set_of(std::uint64_t line);
  std::uint64_t& most_recent(std::uint64_t line);

  std::uint64_t sets_ = 0, evicted_dirty_ = 0;
  std::vector<std::uint64_t> entries_;
};

}  // namespace kp::vgpu
