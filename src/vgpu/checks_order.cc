// SPDX-License-Identifier: Apache-2.0
// What orders the threads of a block, and threads through memory: acquire, release, barriers.
#include <fmt/format.h>

#include <bit>

#include "vgpu/checks.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {
namespace {

std::vector<std::uint32_t> threads_of(const Warp& warp, std::uint32_t lanes) {
  std::vector<std::uint32_t> threads;
  for_lanes(lanes, [&](unsigned l) { threads.push_back(thread_of(warp, l)); });
  return threads;
}

}  // namespace

int& Checks::location(const Frame& frame, const Lanes& lanes, unsigned lane) {
  const bool is_shared = lanes.window == Window::kShared;
  const bool is_local = lanes.window == Window::kLocal;
  // A lane's local memory orders nothing between lanes; give it a place that no other lane names.
  const std::uint64_t address =
      is_local ? (std::uint64_t{thread_of(frame.warp, lane)} << 40) | lanes.address[lane] | 1
               : lanes.address[lane];
  auto& all = is_shared || is_local ? shared_locations_ : races_.global_locations;
  return all.try_emplace(address, -1).first->second;
}

void Checks::acquire(const Frame& frame, const Lanes& lanes, unsigned lane) {
  order_.acquire(thread_of(frame.warp, lane), location(frame, lanes, lane));
}

void Checks::release_at(const Frame& frame, const Lanes& lanes, unsigned lane) {
  int& at = location(frame, lanes, lane);
  at = order_.release(thread_of(frame.warp, lane), at);
}

void Checks::meet(const Warp& warp, std::uint32_t lanes) {
  const auto threads = threads_of(warp, lanes);
  if (threads.size() > 1) order_.meet(threads);
}

void Checks::arrive(const Warp& warp, std::uint32_t lanes, std::uint32_t barrier) {
  for_lanes(lanes, [&](unsigned l) { order_.arrive(thread_of(warp, l), barrier); });
}

void Checks::release(Block& block, const Barrier& barrier, std::uint32_t number) {
  std::vector<std::uint32_t> waiting;
  std::uint32_t exited = 0;
  const Warp* first = nullptr;
  unsigned lane = 0;
  for (const Warp& warp : block.warps) {
    exited += unsigned(std::popcount(warp.initial & ~warp.alive));
    for (const Split& split : warp.splits) {
      if (split.wait != Wait::kBarrier || split.barrier != number) continue;
      if (first == nullptr) first = &warp, lane = first_lane(split.mask);
      const auto threads = threads_of(warp, split.mask);
      waiting.insert(waiting.end(), threads.begin(), threads.end());
    }
  }
  order_.leave(number, waiting);
  if (exited == 0 || barrier.expected != 0 || first == nullptr) return;
  block.fail(FaultKind::kBarrier,
             fmt::format("barrier that not all threads reach: {} of {} threads have exited", exited,
                         launch_.threads),
             barrier.pc, *first, lane);
}

}  // namespace kp::vgpu
