// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "vgpu/access.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {
namespace {

unsigned extent_of(const Request& request) {
  return request.extent != 0 ? request.extent : request.bytes;
}

Window window_of(std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return Window::kShared;
  if (address - kLocalWindow < kWindowBytes) return Window::kLocal;
  return Window::kGlobal;
}

/// Addresses of all lanes; those of inactive lanes repeat the first active one, so that loops over
/// all lanes need no mask.
void read_addresses(const Frame& frame, const Request& request, std::uint32_t active,
                    Lanes& lanes) {
  const auto offset = std::uint64_t(request.offset);
  const std::byte* file = frame.warp.file;
  if (request.base == kNone) {
    for (unsigned l = 0; l < kLanes; ++l) lanes.address[l] = offset;
    return;
  }
  if (request.address32)
    for (unsigned l = 0; l < kLanes; ++l)
      lanes.address[l] = std::uint32_t(word(file, request.base, l) + std::uint32_t(offset));
  else
    for (unsigned l = 0; l < kLanes; ++l) lanes.address[l] = wide(file, request.base, l) + offset;
  if (active == ~0u) return;
  const std::uint64_t first = lanes.address[first_lane(active)];
  for (unsigned l = 0; l < kLanes; ++l)
    if ((active & bit_of(l)) == 0) lanes.address[l] = first;
}

void choose_window(const Request& request, std::uint32_t active, Lanes& lanes) {
  lanes.active = active;
  lanes.window = Window::kGlobal;
  if (request.space == ptx::Space::kShared) lanes.window = Window::kShared;
  if (request.space == ptx::Space::kLocal) lanes.window = Window::kLocal;
  if (request.space != ptx::Space::kGeneric) return;
  lanes.window = window_of(lanes.address[first_lane(active)]);
  for_lanes(active, [&](unsigned l) {
    if (window_of(lanes.address[l]) != lanes.window) lanes.active &= ~bit_of(l);
  });
  if (lanes.window == Window::kGlobal) return;
  const std::uint64_t start = lanes.window == Window::kShared ? kSharedWindow : kLocalWindow;
  for (std::uint64_t& address : lanes.address) address -= start;
}

std::string size_of(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

/// "8 bytes past the end of tensor x (16384 bytes)".
std::string place_in_global(const Memory& memory, std::uint64_t address, unsigned bytes) {
  const Allocation* below = memory.nearest(address);
  const Allocation* above = memory.first_above(address);
  const std::uint64_t past =
      below != nullptr ? address + bytes - (below->address + below->bytes) : ~std::uint64_t{0};
  const std::uint64_t before = above != nullptr ? above->address - address : ~std::uint64_t{0};
  constexpr std::uint64_t kFar = std::uint64_t{1} << 30;  // bytes; farther is no near miss
  if (std::min(past, before) > kFar) return "which is in no allocation";
  if (past <= before)
    return fmt::format("{} past the end of {} ({})", size_of(past), below->name,
                       size_of(below->bytes));
  return fmt::format("{} before the start of {} ({})", size_of(before), above->name,
                     size_of(above->bytes));
}

bool out_of_bounds(const Frame& frame, const Request& request, const Lanes& lanes, unsigned lane) {
  const std::uint64_t address = lanes.address[lane];
  const Launch& launch = frame.block.launch;
  std::string where;
  if (lanes.window == Window::kGlobal) {
    where = fmt::format("{:#x}, {}", address,
                        place_in_global(launch.memory, address, extent_of(request)));
  } else {
    const bool is_shared = lanes.window == Window::kShared;
    const std::uint64_t size = is_shared ? launch.shared_bytes : launch.program.local_bytes;
    const auto at = std::int64_t(address);
    where = fmt::format("offset {} of {} memory, which has {}", at, is_shared ? "shared" : "local",
                        size_of(size));
  }
  return frame.block.fail(
      FaultKind::kMemory,
      fmt::format("{} {} at {}", verb_of(request.action), size_of(extent_of(request)), where),
      frame.pc, frame.warp, lane);
}

bool misaligned(const Frame& frame, const Request& request, const Lanes& lanes, unsigned lane) {
  return frame.block.fail(FaultKind::kMisaligned,
                          fmt::format("{} {} at {}{:#x}, which is not a multiple of {}",
                                      verb_of(request.action), size_of(request.bytes),
                                      lanes.window == Window::kGlobal   ? ""
                                      : lanes.window == Window::kShared ? "shared offset "
                                                                        : "local offset ",
                                      lanes.address[lane], request.bytes),
                          frame.pc, frame.warp, lane);
}

bool resolve_global(const Frame& frame, const Request& request, Lanes& lanes) {
  const std::uint64_t bytes = extent_of(request);
  Memory& memory = frame.block.launch.memory;
  const auto inside = [&](const Allocation* at) {
    if (at == nullptr || at->bytes < bytes) return false;
    const std::uint64_t start = at->address, last = at->bytes - bytes;
    bool all = true;
    for (unsigned l = 0; l < kLanes; ++l) all &= lanes.address[l] - start <= last;
    return all;
  };
  Allocation* at = frame.warp.recent;
  if (!inside(at)) at = memory.find(lanes.address[first_lane(lanes.active)], bytes);
  if (inside(at)) {
    frame.warp.recent = at;
    std::byte* const host = at->host;
    const std::uint64_t start = at->address;
    for (unsigned l = 0; l < kLanes; ++l) lanes.host[l] = host + (lanes.address[l] - start);
    return true;
  }
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    Allocation* found = memory.find(lanes.address[l], bytes);
    if (found == nullptr) return out_of_bounds(frame, request, lanes, l);
    lanes.host[l] = found->host + (lanes.address[l] - found->address);
  }
  return true;
}

bool resolve_shared(const Frame& frame, const Request& request, Lanes& lanes) {
  const std::uint64_t size = frame.block.shared.size(), bytes = extent_of(request);
  bool inside = size >= bytes;
  for (unsigned l = 0; l < kLanes; ++l) inside &= lanes.address[l] <= size - bytes;
  for (std::uint32_t rest = inside ? 0 : lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    if (size < bytes || lanes.address[l] > size - bytes)
      return out_of_bounds(frame, request, lanes, l);
  }
  std::byte* const host = frame.block.shared.data();
  for (unsigned l = 0; l < kLanes; ++l) lanes.host[l] = host + lanes.address[l];
  return true;
}

bool resolve_local(const Frame& frame, const Request& request, Lanes& lanes) {
  const std::uint64_t size = frame.block.launch.program.local_bytes;
  const std::uint64_t bytes = extent_of(request);
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    if (size < bytes || lanes.address[l] > size - bytes)
      return out_of_bounds(frame, request, lanes, l);
    lanes.host[l] = frame.block.local(frame.warp, l) + lanes.address[l];
  }
  return true;
}

}  // namespace

std::string_view verb_of(Action action) {
  switch (action) {
    case Action::kRead:
      return "reads";
    case Action::kWrite:
      return "writes";
    case Action::kAtomic:
      return "atomically updates";
  }
  return "";
}

void place(const Frame& frame, const Request& request, std::uint32_t active, Lanes& lanes) {
  read_addresses(frame, request, active, lanes);
  choose_window(request, active, lanes);
}

bool resolve(const Frame& frame, const Request& request, std::uint32_t active, Lanes& lanes) {
  place(frame, request, active, lanes);
  return resolve_addresses(frame, request, lanes);
}

bool resolve_addresses(const Frame& frame, const Request& request, Lanes& lanes) {
  std::uint64_t bits = 0;
  for (unsigned l = 0; l < kLanes; ++l) bits |= lanes.address[l];
  if ((bits & (request.bytes - 1)) != 0) {
    for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1)
      if ((lanes.address[first_lane(rest)] & (request.bytes - 1)) != 0)
        return misaligned(frame, request, lanes, first_lane(rest));
  }
  switch (lanes.window) {
    case Window::kGlobal:
      return resolve_global(frame, request, lanes);
    case Window::kShared:
      return resolve_shared(frame, request, lanes);
    case Window::kLocal:
      return resolve_local(frame, request, lanes);
  }
  return false;
}

void count(const Frame& frame, const Lanes& lanes, unsigned bytes) {
  if (lanes.window == Window::kShared) {
    std::uint32_t offsets[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) offsets[l] = std::uint32_t(lanes.address[l]);
    return frame.counters->shared(frame.pc, offsets, lanes.active, bytes);
  }
  if (lanes.window == Window::kGlobal)
    return frame.counters->global(frame.pc, lanes.address, lanes.active, bytes, frame.warp.number);
  std::uint64_t addresses[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) addresses[l] = kLocalWindow + lanes.address[l];
  frame.counters->global(frame.pc, addresses, lanes.active, bytes, frame.warp.number);
}

}  // namespace kp::vgpu
