// SPDX-License-Identifier: Apache-2.0
#include "vgpu/races.h"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kp::vgpu {
namespace {

/// What a toucher knows; of shared memory, what other blocks left in the slot is long past.
struct Witness {
  const Toucher& who;
  bool of_one_block;

  Epoch now() const { return who.order.now(who.thread); }
  bool knows(Epoch moment) const {
    if (!moment.exists() || (of_one_block && moment.block() != who.order.block())) return true;
    return who.order.knows(who.thread, moment);
  }
};

void remember_read(Cell& cell, const Witness& by) {
  unsigned free = Cell::kReads - 1;
  for (unsigned i = Cell::kReads; i-- > 0;) {
    // A read that happened before this one: whoever is ordered behind this one is behind it, too.
    if (cell.reads[i].exists() && !by.knows(cell.reads[i])) continue;
    cell.reads[i] = {};
    free = i;
  }
  cell.reads[free] = by.now();
  cell.read_pcs[free] = by.who.pc;
}

std::optional<Conflict> unknown_read(const Cell& cell, const Witness& by) {
  for (unsigned i = 0; i < Cell::kReads; ++i)
    if (!by.knows(cell.reads[i])) return Conflict{cell.reads[i], cell.read_pcs[i], false};
  return {};
}

void remember_write(Cell& cell, const Witness& by, bool strong) {
  cell.write = by.now();
  cell.write_pc = by.who.pc;
  cell.strong = strong;
}

/// Accesses that synchronise by themselves do not race with each other; a plain read beside an
/// atomic is how compare-and-swap loops begin.
std::optional<Conflict> touch_cell(Cell& cell, const Witness& by, Touch touch) {
  const Conflict with_write{cell.write, cell.write_pc, true};
  switch (touch) {
    case Touch::kRead:
      if (!cell.strong && !by.knows(cell.write)) return with_write;
      remember_read(cell, by);
      return {};
    case Touch::kSilentWrite:
      remember_read(cell, by);
      return {};
    case Touch::kStrongRead:
      if (!cell.strong && !by.knows(cell.write)) return with_write;
      return {};
    case Touch::kStrongWrite:
    case Touch::kAtomic:
      if (!cell.strong && !by.knows(cell.write)) return with_write;
      remember_write(cell, by, true);
      return {};
    case Touch::kWrite:
      break;
  }
  if (!by.knows(cell.write)) return with_write;
  if (auto conflict = unknown_read(cell, by)) return conflict;
  remember_write(cell, by, false);
  std::ranges::fill(cell.reads, Epoch{});
  return {};
}

}  // namespace

RaceShadow::RaceShadow(std::uint64_t bytes, bool of_one_block)
    : mapped_((bytes / 4 + 1) * sizeof(Cell)), of_one_block_(of_one_block) {
  // Fresh pages are zeroes, and so is a cell that nobody has touched.
  void* at = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  KP_CHECK(at != MAP_FAILED, "no address space for the shadow of a tensor");
  cells_ = static_cast<Cell*>(at);
}

RaceShadow::RaceShadow(RaceShadow&& other) noexcept
    : cells_(std::exchange(other.cells_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      of_one_block_(other.of_one_block_),
      split_(std::move(other.split_)) {}

RaceShadow::~RaceShadow() {
  if (cells_ != nullptr) ::munmap(cells_, mapped_);
}

std::optional<Conflict> RaceShadow::touch(Toucher who, Touch touch, std::uint64_t offset,
                                          std::uint64_t bytes) {
  const Witness by{who, of_one_block_};
  const auto at = [&](Cell& cell, std::uint64_t place) {
    auto conflict = touch_cell(cell, by, touch);
    if (conflict) conflict->at = place;
    return conflict;
  };
  for (const std::uint64_t end = offset + bytes; offset < end;) {
    Cell& cell = cells_[offset / 4];
    const bool whole = offset % 4 == 0 && end - offset >= 4;
    if (whole && cell.split == 0) {
      if (auto conflict = at(cell, offset)) return conflict;
      offset += 4;
      continue;
    }
    if (cell.split == 0) {
      split_.push_back({cell, cell, cell, cell});
      cell.split = std::uint32_t(split_.size());
    }
    auto& parts = split_[cell.split - 1];
    do {
      if (auto conflict = at(parts[offset % 4], offset)) return conflict;
    } while (++offset < end && offset % 4 != 0);
  }
  return {};
}

RaceShadow& Races::shadow(std::uint64_t allocation, std::uint64_t bytes) {
  return shadows_.try_emplace(allocation, bytes).first->second;
}

}  // namespace kp::vgpu
