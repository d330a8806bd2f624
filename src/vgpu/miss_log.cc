// SPDX-License-Identifier: Apache-2.0
#include "vgpu/miss_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

// A record is line << 24 | count << 8 | late << 7 | partial << 6 | mask << 2 | traffic; a line
// number has 40 bits.
constexpr unsigned kLineShift = 24, kCountShift = 8, kLateShift = 7, kPartialShift = 6;
constexpr unsigned kMaskShift = 2;
constexpr std::uint64_t kMostLines = (1u << (kLineShift - kCountShift)) - 1;
/// Lines that one SM takes in its turn: about what its warps have in flight at a time.
constexpr unsigned kTurn = 64;
/// SMs that share one way to the L2, by what three SMs of such a group measured together.
constexpr std::size_t kSmsOfGroup = 6;
/// Lines that atomics of one unit of the L2 are spread over: 512 bytes.
constexpr unsigned kHotLines = 4;
/// Lines of DRAM that are near each other.
constexpr std::uint64_t kNearLines = 64;

constexpr std::uint64_t kLocalFirst = kLocalWindow / kLineBytes;
constexpr std::uint64_t kLocalLast = (kLocalWindow + kWindowBytes) / kLineBytes;
constexpr std::uint64_t kLocalLinesPerSm = 1u << 22;

std::uint64_t pack(const MissLog::Record& record) {
  return record.line << kLineShift | std::uint64_t{record.count} << kCountShift |
         std::uint64_t{record.late} << kLateShift | std::uint64_t{record.partial} << kPartialShift |
         std::uint64_t{record.mask} << kMaskShift | static_cast<std::uint64_t>(record.traffic);
}

/// The sectors that DRAM delivers for `missing` ones: both of each pair of 64 bytes.
SectorMask with_neighbours(SectorMask missing) {
  return missing | (missing & 0b0101) << 1 | (missing & 0b1010) >> 1;
}

bool is_one_pair(SectorMask mask) { return (mask & 0b0011) == 0 || (mask & 0b1100) == 0; }

/// One log being read.
struct Cursor {
  const MissLog* log = nullptr;
  std::size_t group = 0;
  std::uint64_t local_offset = 0;
  std::size_t record = 0;
  unsigned line = 0;            // within the record
  std::uint64_t last_line = 0;  // of the record before
  bool done() const { return record == log->size(); }
};

/// What SMs of a group have asked for a short while ago.
class Merger {
 public:
  /// The sectors of a read that are on their way already.
  SectorMask ask(const Cursor& cursor, std::uint64_t line, SectorMask mask, std::uint64_t round) {
    const std::uint64_t hash = (line * 0x9e37'79b9'7f4a'7c15 >> 40) ^ cursor.group * 0x9e37;
    Entry& entry = entries_[hash % entries_.size()];
    const bool same = entry.line == line && entry.group == cursor.group && entry.round + 1 >= round;
    const SectorMask known = same && entry.log != cursor.log ? entry.mask & mask : 0;
    entry = {line, round, cursor.group, cursor.log, same ? entry.mask | mask : mask};
    return known;
  }

 private:
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0}, round = 0;
    std::size_t group = 0;
    const MissLog* log = nullptr;  // who asked last
    SectorMask mask = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(1u << 16);
};

class Replayer {
 public:
  explicit Replayer(std::uint64_t l2_bytes) : l2_(l2_bytes) {}

  void take_turn(Cursor& cursor) {
    for (unsigned taken = 0; taken < kTurn && !cursor.done();) {
      const MissLog::Record record = (*cursor.log)[cursor.record];
      const bool lines = record.traffic <= Traffic::kWrite;
      const unsigned count = lines ? std::min(record.count - cursor.line, kTurn - taken) : 1;
      for (unsigned i = 0; i < count; ++i) access(record, cursor.line + i, cursor);
      taken += count;
      cursor.line += count;
      if (!lines || cursor.line == record.count) {
        cursor.last_line = record.line + cursor.line;
        ++cursor.record;
        cursor.line = 0;
      }
    }
  }
  void end_round() { ++round_; }

  L2Replay result() const { return replay_; }

 private:
  void access(const MissLog::Record& record, unsigned step, const Cursor& cursor) {
    std::uint64_t line = record.line + step;
    const bool local = line >= kLocalFirst && line < kLocalLast;
    if (local) line += cursor.local_offset;
    const std::uint64_t distance =
        line > cursor.last_line ? line - cursor.last_line : cursor.last_line - line;
    const bool far = !local && record.count == 1 && distance > kNearLines;
    const std::uint64_t evicted_before = l2_.evicted_dirty();
    L2Traffic traffic;
    if (record.traffic == Traffic::kRead) {
      read(line, record.mask, cursor, far, traffic);
    } else if (record.traffic == Traffic::kWrite) {
      write(line, record, far, traffic);
    } else {
      atomic(line, record, traffic);
    }
    traffic.evicted = l2_.evicted_dirty() - evicted_before;
    add(replay_.all, traffic);
    if (record.late) add(replay_.late, traffic);
  }

  void read(std::uint64_t line, SectorMask mask, const Cursor& cursor, bool far,
            L2Traffic& traffic) {
    traffic.sectors = static_cast<unsigned>(std::popcount(mask));
    const SectorMask merged = merger_.ask(cursor, line, mask, round_);
    traffic.merged = static_cast<unsigned>(std::popcount(merged));
    fetch(line, mask & ~merged, far, traffic);
  }

  /// Reads from the L2 and fills what it lacks.
  void fetch(std::uint64_t line, SectorMask mask, bool far, L2Traffic& traffic) {
    if (mask == 0) return;
    const SectorMask present = l2_.read(line, mask);
    const SectorMask brought = with_neighbours(mask & ~present);
    traffic.hits += static_cast<unsigned>(std::popcount(present));
    if (brought == 0) return;
    const SectorMask had = l2_.read(line, brought & ~mask) | present;
    traffic.fills = static_cast<unsigned>(std::popcount(brought & ~had));
    if (far && is_one_pair(brought)) traffic.scattered_fills = traffic.fills;
  }

  void write(std::uint64_t line, const MissLog::Record& record, bool far, L2Traffic& traffic) {
    traffic.sectors = traffic.hits = static_cast<unsigned>(std::popcount(record.mask));
    traffic.write_backs = static_cast<unsigned>(std::popcount(l2_.write(line, record.mask)));
    if (!far || !record.partial || !is_one_pair(record.mask)) return;
    traffic.scattered_writes = traffic.write_backs;
    traffic.fills = traffic.write_backs;
  }

  void atomic(std::uint64_t line, const MissLog::Record& record, L2Traffic& traffic) {
    const auto sectors = static_cast<unsigned>(std::popcount(record.mask));
    fetch(line, record.mask, false, traffic);
    traffic.sectors = std::uint64_t{sectors} * record.count;
    traffic.hits += std::uint64_t{sectors} * (record.count - 1);
    traffic.write_backs = static_cast<unsigned>(std::popcount(l2_.write(line, record.mask)));
    count_turns(line, record, traffic.sectors);
  }

  void count_turns(std::uint64_t line, const MissLog::Record& record, std::uint64_t all) {
    replay_.turns += all;
    std::uint64_t& hot = hot_turns_[line / kHotLines];
    replay_.hottest_turns = std::max(replay_.hottest_turns, hot += all);
    auto& of_line = sector_turns_[line];
    for (unsigned sector = 0; sector < kSectorsPerLine; ++sector) {
      if ((record.mask >> sector & 1) == 0) continue;
      replay_.atomic_sectors += of_line[sector] == 0 ? 1 : 0;
      of_line[sector] += record.count;
      replay_.hottest_sector_turns = std::max(replay_.hottest_sector_turns, of_line[sector]);
    }
  }

  static void add(L2Traffic& sum, const L2Traffic& part) {
    sum.sectors += part.sectors;
    sum.merged += part.merged;
    sum.hits += part.hits;
    sum.fills += part.fills;
    sum.write_backs += part.write_backs;
    sum.evicted += part.evicted;
    sum.scattered_fills += part.scattered_fills;
    sum.scattered_writes += part.scattered_writes;
  }

  SectoredCache l2_;
  Merger merger_;
  L2Replay replay_;
  std::uint64_t round_ = 1;
  // By 512 bytes and by line; only sums and maxima are read.
  std::unordered_map<std::uint64_t, std::uint64_t> hot_turns_;
  std::unordered_map<std::uint64_t, std::array<std::uint64_t, kSectorsPerLine>> sector_turns_;
};

}  // namespace

void MissLog::set_late(bool late) {
  if (late != late_) open_[0] = open_[1] = 0;
  late_ = late;
}

void MissLog::write(std::uint64_t line, SectorMask mask, bool partial) {
  append_line(line, mask, Traffic::kWrite, partial);
}

void MissLog::atomic(std::uint64_t line, SectorMask mask, Traffic traffic, unsigned turns) {
  sectors_[static_cast<unsigned>(traffic)] +=
      static_cast<std::uint64_t>(std::popcount(mask)) * turns;
  if (records_.size() < kLimit) {
    records_.push_back(
        pack({.line = line, .count = turns, .mask = mask, .traffic = traffic, .late = late_}));
  }
}

MissLog::Record MissLog::operator[](std::size_t index) const {
  const std::uint64_t bits = records_[index];
  return {.line = bits >> kLineShift,
          .count = static_cast<unsigned>(bits >> kCountShift & kMostLines),
          .mask = static_cast<SectorMask>(bits >> kMaskShift & ((1u << kSectorsPerLine) - 1)),
          .traffic = static_cast<Traffic>(bits & 3),
          .partial = (bits >> kPartialShift & 1) != 0,
          .late = (bits >> kLateShift & 1) != 0};
}

void MissLog::append_line(std::uint64_t line, SectorMask mask, Traffic traffic, bool partial) {
  sectors_[static_cast<unsigned>(traffic)] += static_cast<unsigned>(std::popcount(mask));
  const Record record{line, 1, mask, traffic, partial, late_};
  if (extend(record) || records_.size() == kLimit) return;
  records_.push_back(pack(record));
  open_[static_cast<unsigned>(traffic)] = records_.size();
}

bool MissLog::extend(const Record& wanted) {
  // Only a record among the last few may grow, so that the order of the log stays nearly true.
  constexpr std::size_t kNear = 4;
  const std::size_t open = open_[static_cast<unsigned>(wanted.traffic)];
  if (open == 0 || open + kNear < records_.size()) return false;
  Record record = (*this)[open - 1];
  if (record.mask != wanted.mask || record.partial != wanted.partial ||
      record.line + record.count != wanted.line || record.count == kMostLines) {
    return false;
  }
  ++record.count;
  records_[open - 1] = pack(record);
  return true;
}

L2Replay replay(std::span<const MissLog* const> logs, std::uint64_t l2_bytes) {
  Replayer replayer(l2_bytes);
  std::vector<Cursor> cursors;
  // Neighbouring blocks go to SMs of different groups.
  const std::size_t groups = std::max<std::size_t>(1, logs.size() / kSmsOfGroup);
  for (const MissLog* log : logs) {
    cursors.push_back({.log = log,
                       .group = cursors.size() % groups,
                       .local_offset = cursors.size() * kLocalLinesPerSm});
  }
  for (bool more = true; more;) {
    more = false;
    for (Cursor& cursor : cursors) {
      replayer.take_turn(cursor);
      more |= !cursor.done();
    }
    replayer.end_round();
  }
  return replayer.result();
}

}  // namespace kp::vgpu
