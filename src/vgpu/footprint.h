// SPDX-License-Identifier: Apache-2.0
// What one warp instruction touches: lines and sectors of memory, banks of shared memory. Pure
// arithmetic, used by the counters.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "vgpu/cache.h"
#include "vgpu/instruction.h"

namespace kp::vgpu {

inline constexpr unsigned kMaxLaneBytes = 32;

/// The bytes of one line that a request touches, one bit a byte, by sector.
struct TouchedLine {
  std::uint64_t line = 0;  // address / 128
  std::array<std::uint32_t, kSectorsPerLine> bytes{};
  SectorMask sectors() const;
};

/// The distinct lines of one warp request, in order of the first lane that touches each.
class Footprint {
 public:
  /// `lane_bytes` <= kMaxLaneBytes.
  Footprint(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
            unsigned lane_bytes);
  /// Local memory: consecutive 4-byte words of a thread lie 128 bytes apart, so that one word of
  /// all lanes fills a line. `addresses` are what the thread sees; `base` is where the warp's lines
  /// start.
  static Footprint local(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                         unsigned lane_bytes, std::uint64_t base);

  std::span<const TouchedLine> lines() const { return {lines_.data(), count_}; }
  unsigned sectors() const { return sectors_; }
  unsigned bytes() const { return bytes_; }          // distinct
  bool partial() const;                              // some sector is touched in part
  unsigned small_lines() const;                      // lines of which less than a sector is touched
  bool unit_stride() const { return unit_stride_; }  // active lanes lie side by side, ascending

 private:
  Footprint() = default;
  void add(std::uint64_t address, unsigned bytes);
  void add_packed(std::uint64_t begin, std::uint64_t end);
  TouchedLine& line_at(std::uint64_t line);
  void finish();

  static constexpr unsigned kMaxLines = kLanes * kMaxLaneBytes / 4;  // local: a line for each word
  static constexpr unsigned kBuckets = 2 * kMaxLines;
  std::array<TouchedLine, kMaxLines> lines_;
  std::array<std::uint16_t, kBuckets> buckets_;  // index + 1 into lines_; 0: empty
  unsigned count_ = 0, sectors_ = 0, bytes_ = 0;
  bool unit_stride_ = false;
};

/// How the active lanes share addresses.
struct AddressSharing {
  unsigned addresses = 0;  // distinct ones
  unsigned company = 0;    // lanes whose address another active lane has too
};
AddressSharing address_sharing(std::span<const std::uint64_t, kLanes> addresses,
                               std::uint32_t active);

/// Sectors of one line that atomics of a warp touch, and how often the L2 goes over each: lanes
/// with different addresses in a sector are served together, lanes on one address in turn.
struct SectorTurns {
  std::uint64_t line = 0;
  SectorMask mask = 0;
  unsigned turns = 1;
};
class AtomicTurns {
 public:
  AtomicTurns(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
              const Footprint& print);
  std::span<const SectorTurns> sectors() const { return {sectors_.data(), count_}; }
  const AddressSharing& sharing() const { return sharing_; }

 private:
  void add(std::uint64_t address, unsigned lanes);

  std::array<SectorTurns, kLanes * 2> sectors_;
  std::size_t count_ = 0;
  AddressSharing sharing_;
};

/// Passes through the 32 banks of 4 bytes that one shared access takes. A warp with 8 or 16 bytes a
/// lane goes in two halves; in each, the bank with the most distinct words decides. Lanes that read
/// the same word share it; lanes of an atomic do not.
struct BankUse {
  unsigned wavefronts = 0;
  unsigned fewest = 0;  // as many as the distinct words need when they lie side by side
};
BankUse bank_use(std::span<const std::uint32_t, kLanes> offsets, std::uint32_t active,
                 unsigned lane_bytes, bool atomic);

}  // namespace kp::vgpu
