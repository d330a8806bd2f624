// SPDX-License-Identifier: Apache-2.0
#include "vgpu/checks.h"

#include <fmt/format.h>

#include "vgpu/bits.h"
#include "vgpu/lanes.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

bool is_strong(const Access& access) {
  return access.is_volatile || access.acquire || access.release;
}

unsigned slots_of_register(const Frame& frame, const Access& access) {
  return lane_stride(frame.in.width[0], access.bytes) * kLanes / kSlot;
}

std::string name_of(const Launch& launch, Epoch moment) {
  const auto& grid = launch.grid.grid;
  const auto& block = launch.grid.block;
  const std::uint64_t b = moment.block();
  const std::uint32_t t = moment.thread();
  return fmt::format("thread ({}, {}, {}) of block ({}, {}, {})", t % block[0],
                     t / block[0] % block[1], t / block[0] / block[1], b % grid[0],
                     b / grid[0] % grid[1], b / grid[0] / grid[1]);
}

/// Whether a compare-and-swap finds another value than it expects.
bool fails_to_swap(const Frame& frame, const Access& access, const std::byte* at, unsigned lane) {
  if (access.atomic != AtomicOp::kCompareSwap) return false;
  const unsigned stride = lane_stride(0, access.bytes);
  return std::memcmp(at, frame.warp.file + frame.in.op.c + lane * stride, access.bytes) != 0;
}

std::string_view doing(Touch touch) {
  switch (touch) {
    case Touch::kRead:
    case Touch::kStrongRead:
      return "reads";
    case Touch::kAtomic:
      return "atomically updates";
    default:
      return "writes";
  }
}

}  // namespace

/// Bits and cells of a lane's window; offsets count from the window's or the allocation's start.
struct Checks::Shadow {
  std::vector<std::uint64_t>* bits = nullptr;
  RaceShadow* cells = nullptr;  // null for local memory
  std::uint64_t offset = 0;
  const Allocation* allocation = nullptr;  // null outside of global memory
};

Checks::Checks(const Launch& launch, Races& races)
    : launch_(launch),
      races_(races),
      order_(std::size_t{launch.warps} * kLanes, races.releases),
      shared_races_(launch.shared_bytes, true),
      slots_per_warp_(launch.program.file_bytes / kSlot) {}

void Checks::begin(const Block& block) {
  const Program& program = launch_.program;
  order_.begin(block.index);
  shared_locations_.clear();
  copies_.clear();
  fenced_ = false;
  registers_.assign(slots_per_warp_ * launch_.warps, 0);
  shared_.assign(launch_.shared_bytes / 64 + 1, 0);
  set_bits(shared_, program.reserved_shared, program.reserved_shared_bytes, true);
  local_.assign(program.local_bytes * launch_.warps * kLanes / 64 + 1, 0);
  const auto slots = [](unsigned lane_bytes) {
    return lane_bytes == 1 ? 1u : lane_stride(0, lane_bytes) * kLanes / kSlot;
  };
  for (const Warp& warp : block.warps) {
    for (const Constant& each : program.constants)
      define(warp, each.offset, slots(each.lane_bytes), ~0u, ~0u);
    for (const SpecialUse& each : program.specials)
      define(warp, each.offset, slots(each.lane_bytes), ~0u, ~0u);
    for (const StaticVariable& each : program.statics)
      for (const std::uint32_t reg : each.address_registers) define(warp, reg, 4, ~0u, ~0u);
  }
}

Checks::Shadow Checks::shadow_of(const Frame& frame, const Lanes& lanes, unsigned lane) {
  const std::uint64_t address = lanes.address[lane];
  if (lanes.window == Window::kShared) return {&shared_, &shared_races_, address, nullptr};
  if (lanes.window == Window::kLocal) {
    const std::uint64_t thread = thread_of(frame.warp, lane);
    return {&local_, nullptr, thread * launch_.program.local_bytes + address, nullptr};
  }
  Allocation* at = frame.warp.recent;
  if (at == nullptr || address - at->address >= at->bytes) at = launch_.memory.find(address, 1);
  return {&at->defined, &races_.shadow(at->address, at->bytes), address - at->address, at};
}

bool Checks::touch(const Frame& frame, const Lanes& lanes, LaneBytes bytes, Touch touch) {
  const Shadow shadow = shadow_of(frame, lanes, bytes.lane);
  if (shadow.cells == nullptr) return true;
  const auto conflict = shadow.cells->touch({order_, thread_of(frame.warp, bytes.lane), frame.pc},
                                            touch, shadow.offset + bytes.at, bytes.count);
  if (!conflict) return true;
  const std::string where =
      shadow.allocation == nullptr
          ? fmt::format("offset {} of shared memory", conflict->at)
          : fmt::format("{:#x}, byte {} of {}", shadow.allocation->address + conflict->at,
                        conflict->at, shadow.allocation->name);
  return frame.block.fail(
      FaultKind::kRace,
      fmt::format("{} {} while {} {} it at {}: nothing orders the two", doing(touch), where,
                  name_of(launch_, conflict->moment), conflict->was_write ? "writes" : "reads",
                  vgpu::place_of(launch_.program, conflict->pc)),
      frame.pc, frame.warp, bytes.lane);
}

bool Checks::bytes_defined(const Frame& frame, const Lanes& lanes, LaneBytes bytes) {
  const Shadow shadow = shadow_of(frame, lanes, bytes.lane);
  return shadow.bits->empty() || all_bits(*shadow.bits, shadow.offset + bytes.at, bytes.count);
}

void Checks::define_bytes(const Frame& frame, const Lanes& lanes, LaneBytes bytes, bool on) {
  const Shadow shadow = shadow_of(frame, lanes, bytes.lane);
  if (!shadow.bits->empty()) set_bits(*shadow.bits, shadow.offset + bytes.at, bytes.count, on);
}

bool Checks::load(const Frame& frame, const Access& access, const Lanes& lanes) {
  const unsigned bytes = unsigned(access.bytes) * access.elements;
  const Touch kind = is_strong(access) ? Touch::kStrongRead : Touch::kRead;
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    if (kind == Touch::kStrongRead) acquire(frame, lanes, l);
    if (!touch(frame, lanes, {l, 0, bytes}, kind)) return false;
    for (unsigned e = 0; e < access.elements; ++e)
      define(frame.warp, access.registers[e], slots_of_register(frame, access), bit_of(l),
             bytes_defined(frame, lanes, {l, e * access.bytes, access.bytes}) ? ~0u : 0u);
  }
  return true;
}

bool Checks::put(const Frame& frame, const Lanes& lanes, LaneBytes place, const std::byte* from,
                 Touch kind) {
  std::byte* const to = lanes.host[place.lane] + place.at;
  for (unsigned done = 0; done < place.count; done += 4) {
    const unsigned count = std::min(4u, place.count - done);
    const bool same = std::memcmp(to + done, from + done, count) == 0;
    const Touch chunk = kind == Touch::kWrite && same ? Touch::kSilentWrite : kind;
    if (!touch(frame, lanes, {place.lane, place.at + done, count}, chunk)) return false;
  }
  std::memcpy(to, from, place.count);
  return true;
}

bool Checks::store(const Frame& frame, const Access& access, const Lanes& lanes) {
  const unsigned stride = lane_stride(frame.in.width[0], access.bytes);
  const Touch kind = is_strong(access) ? Touch::kStrongWrite : Touch::kWrite;
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    for (unsigned e = 0; e < access.elements; ++e) {
      const LaneBytes place{l, e * access.bytes, access.bytes};
      const std::uint32_t reg = access.registers[e];
      if (!put(frame, lanes, place, frame.warp.file + reg + l * stride, kind)) return false;
      const std::uint32_t known = defined(frame.warp, reg, slots_of_register(frame, access));
      define_bytes(frame, lanes, place, (known & bit_of(l)) != 0);
    }
    if (access.release || (fenced_ && access.is_volatile)) release_at(frame, lanes, l);
  }
  return true;
}

bool Checks::read(const Frame& frame, const Lanes& lanes, unsigned extent, std::uint32_t& defined) {
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const LaneBytes bytes{first_lane(rest), 0, extent};
    if (!touch(frame, lanes, bytes, Touch::kRead)) return false;
    if (!bytes_defined(frame, lanes, bytes)) defined &= ~bit_of(bytes.lane);
  }
  return true;
}

bool Checks::write(const Frame& frame, const Lanes& lanes, unsigned lane,
                   std::span<const std::byte> bytes, bool defined) {
  const LaneBytes place{lane, 0, unsigned(bytes.size())};
  if (!put(frame, lanes, place, bytes.data(), Touch::kWrite)) return false;
  define_bytes(frame, lanes, place, defined);
  return true;
}

bool Checks::copy(const Frame& frame, const Lanes& lanes, unsigned lane,
                  std::span<const std::byte> bytes, bool defined) {
  if (!write(frame, lanes, lane, bytes, false)) return false;
  auto& groups = copies_[thread_of(frame.warp, lane)];
  if (groups.empty()) groups.emplace_back();
  if (defined) groups.back().push_back({lanes.address[lane], unsigned(bytes.size())});
  return true;
}

void Checks::wait_for_copies(const Warp& warp, const Instruction& in, std::uint32_t active) {
  const auto form = AsyncForm(in.op.imm & 0xff);
  const std::size_t stay = form == AsyncForm::kWaitAll ? 0 : (in.op.imm >> 8) + 1;
  for_lanes(active, [&](unsigned l) {
    auto& groups = copies_[thread_of(warp, l)];
    if (groups.empty()) groups.emplace_back();
    // A group without copies counts, too.
    if (form == AsyncForm::kCommit) groups.emplace_back();
    while (form != AsyncForm::kCommit && groups.size() > stay) {
      for (const Copied& each : groups.front()) set_bits(shared_, each.at, each.bytes, true);
      groups.erase(groups.begin());
    }
  });
}

bool Checks::atomic(const Frame& frame, const Access& access, const Lanes& lanes) {
  const unsigned l = first_lane(lanes.active);
  const unsigned bytes = unsigned(access.bytes) * access.elements;
  const LaneBytes place{l, 0, bytes};
  const bool updates = !fails_to_swap(frame, access, lanes.host[l], l);
  acquire(frame, lanes, l);
  if (!touch(frame, lanes, place, updates ? Touch::kAtomic : Touch::kStrongRead)) return false;
  const bool old = bytes_defined(frame, lanes, place);
  const unsigned slots = lane_stride(0, access.bytes) * kLanes / kSlot;
  const auto known = [&](std::uint32_t reg) {
    return reg == kNone || (defined(frame.warp, reg, slots) & bit_of(l)) != 0;
  };
  bool operands = known(frame.in.op.b) && known(frame.in.op.c);
  if (access.elements > 1)
    for (unsigned e = 0; e < access.elements; ++e) operands &= known(access.registers[e]);
  const bool replaces = access.atomic == AtomicOp::kExchange;
  define_bytes(frame, lanes, place, operands && (old || replaces));
  define(frame.warp, frame.in.op.dst, slots, bit_of(l), old ? ~0u : 0u);
  for (const std::uint32_t result : access.results)
    define(frame.warp, result, slots, bit_of(l), old ? ~0u : 0u);
  if (updates && (fenced_ || access.release)) release_at(frame, lanes, l);
  return true;
}

bool Checks::synchronise(const Frame& frame, const Lanes& lanes) {
  const auto form = MbarrierForm(frame.in.op.imm);
  const bool tests = form == MbarrierForm::kTestState || form == MbarrierForm::kTestParity;
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const LaneBytes object{first_lane(rest), 0, 8};
    if (form != MbarrierForm::kInit && !bytes_defined(frame, lanes, object))
      return undefined(frame.block, frame.warp, frame.pc, bit_of(object.lane),
                       "uses an mbarrier, which is");
    acquire(frame, lanes, object.lane);
    if (!touch(frame, lanes, object, tests ? Touch::kStrongRead : Touch::kAtomic)) return false;
    define_bytes(frame, lanes, object, true);
    if (!tests) release_at(frame, lanes, object.lane);
    define(frame.warp, frame.in.op.dst, tests ? 1 : 4, bit_of(object.lane), ~0u);
  }
  return true;
}

}  // namespace kp::vgpu
