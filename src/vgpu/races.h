// SPDX-License-Identifier: Apache-2.0
// Finds data races: two accesses to the same byte by different threads, at least one a write that
// changes it, without order between them. checks.h tells it of every access. The rules and what it
// leaves out stand in docs/vgpu-checks.md.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "vgpu/order.h"

namespace kp::vgpu {

enum class Touch : std::uint8_t {
  kRead,
  kSilentWrite,  // stores what is there already
  kWrite,
  kStrongRead,   // volatile, relaxed, acquire
  kStrongWrite,  // the same for stores
  kAtomic,
};

/// The accesses to one word, or to one byte of a word that is not always used whole.
struct Cell {
  static constexpr unsigned kReads = 3;  // unordered readers that are remembered
  Epoch write, reads[kReads];
  std::uint32_t write_pc = 0, read_pcs[kReads] = {};
  bool strong = false;      // the write was strong or atomic
  std::uint32_t split = 0;  // the word's four bytes, counted from 1, once they are used apart
};

/// The other half of a race.
struct Conflict {
  Epoch moment;
  std::uint32_t pc = 0;
  bool was_write = false;
  std::uint64_t at = 0;  // offset of the word or byte in the shadow
};

/// Who touches memory, and at which instruction.
struct Toucher {
  const Order& order;
  std::uint32_t thread = 0;
  std::uint32_t pc = 0;
};

/// Cells for a run of memory; pages of it appear when they are touched.
class RaceShadow {
 public:
  /// `of_one_block`: shared memory, where what other blocks left in the slot is long past.
  explicit RaceShadow(std::uint64_t bytes, bool of_one_block = false);
  ~RaceShadow();
  RaceShadow(RaceShadow&& other) noexcept;
  RaceShadow& operator=(RaceShadow&&) = delete;
  /// A thread touches [offset, offset + bytes). What it conflicts with, if anything.
  std::optional<Conflict> touch(Toucher who, Touch touch, std::uint64_t offset,
                                std::uint64_t bytes);

 private:
  Cell* cells_ = nullptr;
  std::uint64_t mapped_ = 0;
  bool of_one_block_ = false;
  std::deque<std::array<Cell, 4>> split_;
};

/// What all blocks of a launch share: shadows of device memory and the releases.
class Races {
 public:
  RaceShadow& shadow(std::uint64_t allocation, std::uint64_t bytes);
  Releases releases;
  /// The last release at a synchronisation object in device memory, by address.
  std::unordered_map<std::uint64_t, int> global_locations;

 private:
  std::map<std::uint64_t, RaceShadow> shadows_;  // by the allocation's address
};

}  // namespace kp::vgpu
