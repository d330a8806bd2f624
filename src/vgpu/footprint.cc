// SPDX-License-Identifier: Apache-2.0
#include "vgpu/footprint.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.h"

namespace kp::vgpu {
namespace {

constexpr unsigned kBanks = 32;
constexpr unsigned kBankBytes = 4;
constexpr std::uint32_t kFullWarp = 0xffff'ffff;

/// `count` ones, from bit `first` on; both within 32 bits.
std::uint32_t ones(unsigned first, unsigned count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

/// Calls visit(lane) for each active lane, ascending.
template <class Visit>
void for_lanes(std::uint32_t active, Visit visit) {
  for (; active != 0; active &= active - 1) visit(static_cast<unsigned>(std::countr_zero(active)));
}

/// Written without a branch, so that the compiler can use vector instructions: this is the test
/// that nearly every request passes.
template <class Address>
bool full_stride(std::span<const Address, kLanes> addresses, Address stride) {
  Address difference = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    difference |= addresses[lane] ^ (addresses[0] + static_cast<Address>(lane) * stride);
  }
  return difference == 0;
}

bool side_by_side(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                  unsigned lane_bytes) {
  std::uint64_t expected = addresses[static_cast<unsigned>(std::countr_zero(active))];
  bool result = true;
  for_lanes(active, [&](unsigned lane) {
    result &= addresses[lane] == expected;
    expected += lane_bytes;
  });
  return result;
}

/// The words of one pass, each bank's in a chain.
class BankChains {
 public:
  void add(std::uint32_t word, bool shared_by_lanes) {
    const unsigned bank = word % kBanks;
    if (shared_by_lanes) {
      for (std::uint8_t at = head_[bank]; at != 0; at = next_[at]) {
        if (words_[at] == word) return;
      }
    }
    ++count_;
    words_[count_] = word;
    next_[count_] = head_[bank];
    head_[bank] = count_;
    longest_ = std::max<unsigned>(longest_, ++length_[bank]);
  }
  unsigned longest() const { return longest_; }
  unsigned words() const { return count_; }

 private:
  // Sixteen lanes of 16 bytes, or 32 of 4; each may straddle one word more.
  static constexpr unsigned kMostWords = 16 * 5;
  std::array<std::uint32_t, kMostWords + 1> words_;
  std::array<std::uint8_t, kMostWords + 1> next_;
  std::array<std::uint8_t, kBanks> head_{}, length_{};
  std::uint8_t count_ = 0;
  unsigned longest_ = 0;
};

BankUse pass_of(std::span<const std::uint32_t, kLanes> offsets, std::uint32_t lanes,
                unsigned lane_bytes, bool atomic) {
  BankChains chains;
  for_lanes(lanes, [&](unsigned lane) {
    const std::uint32_t first = offsets[lane] / kBankBytes;
    const std::uint32_t last = (offsets[lane] + lane_bytes - 1) / kBankBytes;
    for (std::uint32_t word = first; word <= last; ++word) chains.add(word, !atomic);
  });
  const unsigned fewest = atomic ? 1 : (chains.words() + kBanks - 1) / kBanks;
  return {chains.longest(), fewest};
}

}  // namespace

SectorMask TouchedLine::sectors() const {
  SectorMask mask = 0;
  for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
    mask |= static_cast<SectorMask>(bytes[sector] != 0) << sector;
  }
  return mask;
}

Footprint::Footprint(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                     unsigned lane_bytes) {
  KP_CHECK(lane_bytes > 0 && lane_bytes <= kMaxLaneBytes, "an access has 1 to 32 bytes a lane");
  if (active == 0) return;
  unit_stride_ = active == kFullWarp ? full_stride<std::uint64_t>(addresses, lane_bytes)
                                     : side_by_side(addresses, active, lane_bytes);
  if (unit_stride_) {
    const std::uint64_t begin = addresses[static_cast<unsigned>(std::countr_zero(active))];
    add_packed(begin, begin + lane_bytes * static_cast<unsigned>(std::popcount(active)));
  } else {
    buckets_.fill(0);
    for_lanes(active, [&](unsigned lane) { add(addresses[lane], lane_bytes); });
  }
  finish();
}

Footprint Footprint::local(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                           unsigned lane_bytes, std::uint64_t base) {
  KP_CHECK(lane_bytes > 0 && lane_bytes <= kMaxLaneBytes, "an access has 1 to 32 bytes a lane");
  Footprint print;
  print.buckets_.fill(0);
  const unsigned piece = std::min(lane_bytes, kBankBytes);
  for_lanes(active, [&](unsigned lane) {
    for (unsigned done = 0; done < lane_bytes; done += piece) {
      const std::uint64_t address = addresses[lane] + done;
      const std::uint64_t word = address / kBankBytes;
      print.add(base + (word * kLanes + lane) * kBankBytes + address % kBankBytes, piece);
    }
  });
  print.finish();
  return print;
}

bool Footprint::partial() const {
  return std::ranges::any_of(lines(), [](const TouchedLine& touched) {
    return std::ranges::any_of(touched.bytes,
                               [](std::uint32_t mask) { return mask != 0 && ~mask != 0; });
  });
}

unsigned Footprint::small_lines() const {
  return static_cast<unsigned>(std::ranges::count_if(lines(), [](const TouchedLine& touched) {
    unsigned bytes = 0;
    for (const std::uint32_t mask : touched.bytes)
      bytes += static_cast<unsigned>(std::popcount(mask));
    return bytes < kSectorBytes;
  }));
}

TouchedLine& Footprint::line_at(std::uint64_t line) {
  auto bucket = static_cast<unsigned>((line * 0x9e37'79b9'7f4a'7c15) >> 32) % kBuckets;
  while (buckets_[bucket] != 0 && lines_[buckets_[bucket] - 1u].line != line) {
    bucket = (bucket + 1) % kBuckets;
  }
  if (buckets_[bucket] == 0) {
    lines_[count_] = TouchedLine{line, {}};
    buckets_[bucket] = static_cast<std::uint16_t>(++count_);
  }
  return lines_[buckets_[bucket] - 1u];
}

void Footprint::add(std::uint64_t address, unsigned bytes) {
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const auto first = static_cast<unsigned>(address % kSectorBytes);
    const auto count =
        static_cast<unsigned>(std::min<std::uint64_t>(kSectorBytes - first, end - address));
    const auto sector = static_cast<unsigned>(address / kSectorBytes % kSectorsPerLine);
    line_at(address / kLineBytes).bytes[sector] |= ones(first, count);
    address += count;
  }
}

void Footprint::add_packed(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t line = begin / kLineBytes; line * kLineBytes < end; ++line) {
    TouchedLine& touched = lines_[count_++] = TouchedLine{line, {}};
    for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
      const std::uint64_t start = line * kLineBytes + sector * kSectorBytes;
      const std::uint64_t from = std::max(begin, start), to = std::min(end, start + kSectorBytes);
      if (from < to) {
        touched.bytes[sector] =
            ones(static_cast<unsigned>(from - start), static_cast<unsigned>(to - from));
      }
    }
  }
}

void Footprint::finish() {
  for (const TouchedLine& touched : lines()) {
    sectors_ += static_cast<unsigned>(std::popcount(touched.sectors()));
    for (const std::uint32_t mask : touched.bytes)
      bytes_ += static_cast<unsigned>(std::popcount(mask));
  }
}

AddressSharing address_sharing(std::span<const std::uint64_t, kLanes> addresses,
                               std::uint32_t active) {
  std::array<std::uint64_t, kLanes> sorted;
  unsigned count = 0;
  for_lanes(active, [&](unsigned lane) { sorted[count++] = addresses[lane]; });
  std::sort(sorted.begin(), sorted.begin() + count);
  AddressSharing sharing;
  for (unsigned i = 0; i < count; ++i) {
    const bool left = i > 0 && sorted[i] == sorted[i - 1];
    const bool right = i + 1 < count && sorted[i] == sorted[i + 1];
    sharing.addresses += left ? 0 : 1;
    sharing.company += left || right ? 1 : 0;
  }
  return sharing;
}

AtomicTurns::AtomicTurns(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                         const Footprint& print)
    : sharing_(address_sharing(addresses, active)) {
  if (sharing_.company == 0) {
    for (const TouchedLine& touched : print.lines()) {
      if (count_ < sectors_.size()) sectors_[count_++] = {touched.line, touched.sectors(), 1};
    }
    return;
  }
  std::array<std::uint64_t, kLanes> sorted;
  unsigned count = 0;
  for_lanes(active, [&](unsigned lane) { sorted[count++] = addresses[lane]; });
  std::sort(sorted.begin(), sorted.begin() + count);
  for (unsigned i = 0; i < count;) {
    unsigned lanes = 1;
    while (i + lanes < count && sorted[i + lanes] == sorted[i]) ++lanes;
    add(sorted[i], lanes);
    i += lanes;
  }
}

void AtomicTurns::add(std::uint64_t address, unsigned lanes) {
  const std::uint64_t line = address / kLineBytes;
  const SectorMask mask = 1u << (address / kSectorBytes % kSectorsPerLine);
  if (count_ > 0 && sectors_[count_ - 1].line == line && sectors_[count_ - 1].mask == mask) {
    sectors_[count_ - 1].turns = std::max(sectors_[count_ - 1].turns, lanes);
  } else {
    sectors_[count_++] = {line, mask, lanes};
  }
}

BankUse bank_use(std::span<const std::uint32_t, kLanes> offsets, std::uint32_t active,
                 unsigned lane_bytes, bool atomic) {
  KP_CHECK(lane_bytes > 0 && lane_bytes <= 16, "a shared access has 1 to 16 bytes a lane");
  if (active == kFullWarp && lane_bytes >= kBankBytes &&
      full_stride<std::uint32_t>(offsets, lane_bytes)) {
    return {lane_bytes / kBankBytes, lane_bytes / kBankBytes};
  }
  if (active == kFullWarp && lane_bytes == kBankBytes) {
    const std::uint32_t stride = offsets[1] - offsets[0];
    if (stride != 0 && stride % kBankBytes == 0 && full_stride<std::uint32_t>(offsets, stride)) {
      return {std::gcd(kBanks, stride / kBankBytes), 1};
    }
  }
  BankUse use;
  const unsigned passes = lane_bytes <= kBankBytes ? 1 : 2;
  const unsigned lanes_in_pass = kLanes / passes;
  for (unsigned pass = 0; pass < passes; ++pass) {
    const std::uint32_t lanes = active & ones(pass * lanes_in_pass, lanes_in_pass);
    if (lanes == 0) continue;
    const BankUse part = pass_of(offsets, lanes, lane_bytes, atomic);
    use.wavefronts += part.wavefronts;
    use.fewest += part.fewest;
  }
  return use;
}

}  // namespace kp::vgpu
