// SPDX-License-Identifier: Apache-2.0
#include "vgpu/l1_traffic.h"

#include <algorithm>
#include <bit>

namespace kp::vgpu {

void L1Traffic::begin_block(unsigned warps) {
  if (begun_ == resident_ || begun_ == 0) {
    finish();
    begun_ = 0;
  }
  slot_ = begun_++;
  warps_ = std::max(warps, 1u);
}

std::vector<L1Traffic::Touch>& L1Traffic::queue_of(unsigned warp) {
  const std::size_t index = std::size_t{slot_} * warps_ + warp;
  if (index >= queues_.size()) queues_.resize(index + 1);
  return queues_[index];
}

void L1Traffic::keep(unsigned warp, Touch touch) {
  queue_of(warp).push_back(touch);
  if (++kept_ >= kMostKept && touch.last) finish();
}

void L1Traffic::load(std::uint32_t access, unsigned warp, const Footprint& print, bool bypass) {
  const auto lines = print.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    keep(warp, {.line = lines[i].line,
                .access = access,
                .mask = static_cast<std::uint8_t>(lines[i].sectors()),
                .kind = bypass ? Kind::kBypass : Kind::kLoad,
                .last = i + 1 == lines.size()});
  }
}

void L1Traffic::store(std::uint32_t access, unsigned warp, const Footprint& print) {
  const Kind kind = print.partial() ? Kind::kPartialStore : Kind::kStore;
  const auto lines = print.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    keep(warp, {.line = lines[i].line,
                .access = access,
                .mask = static_cast<std::uint8_t>(lines[i].sectors()),
                .kind = kind,
                .last = i + 1 == lines.size()});
  }
}

void L1Traffic::atomic(std::uint32_t access, unsigned warp, std::span<const SectorTurns> sectors,
                       Traffic traffic) {
  const Kind kind = traffic == Traffic::kAtomic ? Kind::kAtomic : Kind::kReduction;
  for (std::size_t i = 0; i < sectors.size(); ++i) {
    keep(warp, {.line = sectors[i].line,
                .access = access,
                .turns = static_cast<std::uint16_t>(sectors[i].turns),
                .mask = static_cast<std::uint8_t>(sectors[i].mask),
                .kind = kind,
                .last = i + 1 == sectors.size()});
  }
}

void L1Traffic::finish() {
  if (kept_ == 0) return;
  std::vector<std::size_t> next(queues_.size(), 0);
  // With one block at a time every second one shows what more blocks would find.
  const bool alone = begun_ == 1;
  for (std::size_t passed = 0; passed < kept_;) {
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      const std::vector<Touch>& queue = queues_[q];
      log_.set_late(alone ? groups_ % 2 == 1 : 2 * (q / warps_) >= begun_);
      for (bool last = false; !last && next[q] < queue.size(); ++next[q], ++passed) {
        pass(queue[next[q]]);
        last = queue[next[q]].last;
      }
    }
  }
  ++groups_;
  for (auto& queue : queues_) queue.clear();
  kept_ = 0;
}

void L1Traffic::pass(const Touch& touch) {
  switch (touch.kind) {
    case Kind::kLoad:
    case Kind::kBypass:
      return load(touch);
    case Kind::kStore:
    case Kind::kPartialStore:
      return store(touch);
    case Kind::kAtomic:
    case Kind::kReduction:
      // The L2 executes atomics; a copy in the L1 is stale from then on.
      l1_.invalidate(touch.line, touch.mask);
      log_.atomic(touch.line, touch.mask,
                  touch.kind == Kind::kAtomic ? Traffic::kAtomic : Traffic::kReduction,
                  touch.turns);
  }
}

void L1Traffic::load(const Touch& touch) {
  const SectorMask wanted = touch.mask;
  const SectorMask present = touch.kind == Kind::kBypass ? 0 : l1_.read(touch.line, wanted);
  const auto hits = static_cast<unsigned>(std::popcount(present));
  sums_.load_sectors += static_cast<unsigned>(std::popcount(wanted));
  sums_.load_hits += hits;
  hits_[touch.access] += hits;
  if (present != wanted) log_.read(touch.line, wanted & ~present);
}

// Stores go through to the L2. They take a line of the L1, but not its sectors.
void L1Traffic::store(const Touch& touch) {
  const auto sectors = static_cast<unsigned>(std::popcount(SectorMask{touch.mask}));
  sums_.store_sectors += sectors;
  if (l1_.touch(touch.line)) sums_.store_hits += sectors;
  log_.write(touch.line, touch.mask, touch.kind == Kind::kPartialStore);
}

}  // namespace kp::vgpu
