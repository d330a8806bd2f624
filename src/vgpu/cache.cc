// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cache.h"

#include <algorithm>
#include <bit>

namespace kp::vgpu {
namespace {

constexpr unsigned kWays = 16;
constexpr unsigned kStateBits = 8;
constexpr unsigned kDirtyShift = 4;
constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;  // 2^64 / golden ratio: spreads neighbours

std::uint64_t key_of(std::uint64_t line) { return (line + 1) << kStateBits; }
bool holds(std::uint64_t entry, std::uint64_t key) { return (entry ^ key) >> kStateBits == 0; }

}  // namespace

SectoredCache::SectoredCache(std::uint64_t bytes)
    : sets_(bytes / (kWays * kLineBytes)), entries_(sets_ * kWays, 0) {}

std::uint64_t* SectoredCache::set_of(std::uint64_t line) {
  const std::uint64_t hash = (line * kGolden) >> 32;
  return entries_.data() + ((hash * sets_) >> 32) * kWays;
}

std::uint64_t& SectoredCache::most_recent(std::uint64_t line) {
  std::uint64_t* set = set_of(line);
  const std::uint64_t key = key_of(line);
  if (holds(set[0], key)) return set[0];
  unsigned way = 1;
  while (way < kWays && !holds(set[way], key)) ++way;
  const std::uint64_t entry = way < kWays ? set[way] : key;
  if (way == kWays) {
    evicted_dirty_ += static_cast<unsigned>(
        std::popcount((set[kWays - 1] >> kDirtyShift) & ((1u << kSectorsPerLine) - 1)));
  }
  std::copy_backward(set, set + std::min(way, kWays - 1), set + std::min(way, kWays - 1) + 1);
  set[0] = entry;
  return set[0];
}

SectorMask SectoredCache::read(std::uint64_t line, SectorMask mask) {
  if (sets_ == 0) return 0;
  std::uint64_t& entry = most_recent(line);
  const auto present = static_cast<SectorMask>(entry) & mask;
  entry |= mask;
  return present;
}

SectorMask SectoredCache::write(std::uint64_t line, SectorMask mask) {
  if (sets_ == 0) return mask;
  std::uint64_t& entry = most_recent(line);
  const auto dirty = static_cast<SectorMask>(entry >> kDirtyShift) & mask;
  entry |= mask | std::uint64_t{mask} << kDirtyShift;
  return mask & ~dirty;
}

bool SectoredCache::touch(std::uint64_t line) {
  if (sets_ == 0) return false;
  const std::uint64_t* set = set_of(line);
  const std::uint64_t key = key_of(line);
  const bool present = std::any_of(set, set + kWays, [&](auto entry) { return holds(entry, key); });
  most_recent(line);
  return present;
}

void SectoredCache::invalidate(std::uint64_t line, SectorMask mask) {
  if (sets_ == 0) return;
  std::uint64_t* set = set_of(line);
  const std::uint64_t key = key_of(line);
  const std::uint64_t gone = mask | std::uint64_t{mask} << kDirtyShift;
  for (unsigned way = 0; way < kWays; ++way) {
    if (holds(set[way], key)) set[way] &= ~gone;
  }
}

}  // namespace kp::vgpu
