// SPDX-License-Identifier: Apache-2.0
#include "vgpu/miss_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

// A record is line << 24 | count << 6 | mask << 2 | traffic; a line number has 40 bits.
constexpr unsigned kLineShift = 24, kCountShift = 6, kMaskShift = 2;
constexpr std::uint64_t kMostLines = (1u << (kLineShift - kCountShift)) - 1;
/// Lines that one SM takes in its turn: about what its warps have in flight at a time.
constexpr unsigned kTurn = 64;

constexpr std::uint64_t kLocalFirst = kLocalWindow / kLineBytes;
constexpr std::uint64_t kLocalLast = (kLocalWindow + kWindowBytes) / kLineBytes;
constexpr std::uint64_t kLocalLinesPerSm = 1u << 22;

std::uint64_t pack(const MissLog::Record& record) {
  return record.line << kLineShift | std::uint64_t{record.count} << kCountShift |
         std::uint64_t{record.mask} << kMaskShift | static_cast<std::uint64_t>(record.traffic);
}

std::uint64_t turns_of(SectorMask mask, unsigned turns) {
  return static_cast<std::uint64_t>(std::popcount(mask)) * turns;
}

/// The sectors that DRAM delivers for `missing` ones: both of each pair of 64 bytes.
SectorMask with_neighbours(SectorMask missing) {
  return missing | (missing & 0b0101) << 1 | (missing & 0b1010) >> 1;
}

/// One log being read.
struct Cursor {
  const MissLog* log = nullptr;
  std::uint64_t local_offset = 0;
  std::size_t record = 0;
  unsigned line = 0;  // within the record
  bool done() const { return record == log->size(); }
  bool in_second_half() const { return record >= log->second_half(); }
};

class Replayer {
 public:
  explicit Replayer(std::uint64_t l2_bytes) : l2_(l2_bytes) {}

  void take_turn(Cursor& cursor) {
    for (unsigned taken = 0; taken < kTurn && !cursor.done();) {
      const MissLog::Record record = (*cursor.log)[cursor.record];
      const bool late = cursor.in_second_half();
      const bool lines = record.traffic <= Traffic::kWrite;
      const unsigned count = lines ? std::min(record.count - cursor.line, kTurn - taken) : 1;
      for (unsigned i = 0; i < count; ++i)
        access(record, cursor.line + i, cursor.local_offset, late);
      taken += count;
      cursor.line += count;
      if (!lines || cursor.line == record.count) {
        ++cursor.record;
        cursor.line = 0;
      }
    }
  }

  L2Replay result() const { return replay_; }

 private:
  void access(const MissLog::Record& record, unsigned step, std::uint64_t local_offset, bool late) {
    std::uint64_t line = record.line + step;
    if (line >= kLocalFirst && line < kLocalLast) line += local_offset;
    const auto sectors = static_cast<unsigned>(std::popcount(record.mask));
    L2Traffic traffic{.sectors = sectors, .hits = sectors};
    if (record.traffic != Traffic::kWrite) {
      const SectorMask present = l2_.read(line, record.mask);
      const SectorMask brought = with_neighbours(record.mask & ~present);
      traffic.hits = static_cast<unsigned>(std::popcount(present));
      if (brought != 0) {
        const SectorMask had = l2_.read(line, brought & ~record.mask) | present;
        traffic.fills = static_cast<unsigned>(std::popcount(brought & ~had));
      }
    }
    if (record.traffic != Traffic::kRead) {
      traffic.write_backs = static_cast<unsigned>(std::popcount(l2_.write(line, record.mask)));
    }
    if (record.traffic > Traffic::kWrite) count_turns(line, record);
    add(replay_.all, traffic);
    if (late) add(replay_.second_half, traffic);
  }

  void count_turns(std::uint64_t line, const MissLog::Record& record) {
    LineTurns& turns = turns_[line];
    turns.all += turns_of(record.mask, record.count);
    replay_.turns += turns_of(record.mask, record.count);
    replay_.hottest_turns = std::max(replay_.hottest_turns, turns.all);
    for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
      if ((record.mask >> sector & 1) == 0) continue;
      replay_.atomic_sectors += turns.of_sector[sector] == 0 ? 1 : 0;
      turns.of_sector[sector] += record.count;
      replay_.hottest_sector_turns =
          std::max(replay_.hottest_sector_turns, turns.of_sector[sector]);
    }
  }

  static void add(L2Traffic& sum, const L2Traffic& part) {
    sum.sectors += part.sectors;
    sum.hits += part.hits;
    sum.fills += part.fills;
    sum.write_backs += part.write_backs;
  }

  struct LineTurns {
    std::uint64_t all = 0;
    std::array<std::uint64_t, kSectorsPerLine> of_sector{};
  };

  SectoredCache l2_;
  L2Replay replay_;
  std::unordered_map<std::uint64_t, LineTurns> turns_;  // by line; only sums and maxima are read
};

}  // namespace

void MissLog::begin_block() {
  block_starts_.push_back(static_cast<std::uint32_t>(records_.size()));
  open_[0] = open_[1] = 0;
}

std::size_t MissLog::second_half() const {
  return block_starts_.empty() ? 0 : block_starts_[block_starts_.size() / 2];
}

void MissLog::atomic(std::uint64_t line, SectorMask mask, Traffic traffic, unsigned turns) {
  sectors_[static_cast<unsigned>(traffic)] += static_cast<unsigned>(std::popcount(mask));
  turns_ += turns_of(mask, turns);
  if (records_.size() < kLimit) records_.push_back(pack({line, turns, mask, traffic}));
}

MissLog::Record MissLog::operator[](std::size_t index) const {
  const std::uint64_t bits = records_[index];
  return {.line = bits >> kLineShift,
          .count = static_cast<unsigned>(bits >> kCountShift & kMostLines),
          .mask = static_cast<SectorMask>(bits >> kMaskShift & ((1u << kSectorsPerLine) - 1)),
          .traffic = static_cast<Traffic>(bits & 3)};
}

void MissLog::append_line(std::uint64_t line, SectorMask mask, Traffic traffic) {
  sectors_[static_cast<unsigned>(traffic)] += static_cast<unsigned>(std::popcount(mask));
  if (extend(line, mask, traffic) || records_.size() == kLimit) return;
  records_.push_back(pack({line, 1, mask, traffic}));
  open_[static_cast<unsigned>(traffic)] = records_.size();
}

bool MissLog::extend(std::uint64_t line, SectorMask mask, Traffic traffic) {
  // Only a record among the last few may grow, so that the order of the log stays nearly true.
  constexpr std::size_t kNear = 4;
  const std::size_t open = open_[static_cast<unsigned>(traffic)];
  if (open == 0 || open + kNear < records_.size()) return false;
  Record record = (*this)[open - 1];
  if (record.mask != mask || record.line + record.count != line || record.count == kMostLines) {
    return false;
  }
  ++record.count;
  records_[open - 1] = pack(record);
  return true;
}

L2Replay replay(std::span<const MissLog* const> logs, std::uint64_t l2_bytes) {
  Replayer replayer(l2_bytes);
  std::vector<Cursor> cursors;
  for (const MissLog* log : logs) {
    cursors.push_back({.log = log, .local_offset = cursors.size() * kLocalLinesPerSm});
  }
  for (bool more = true; more;) {
    more = false;
    for (Cursor& cursor : cursors) {
      replayer.take_turn(cursor);
      more |= !cursor.done();
    }
  }
  return replayer.result();
}

}  // namespace kp::vgpu
