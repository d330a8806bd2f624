// SPDX-License-Identifier: Apache-2.0
// cp.async. The copy is complete when the instruction ends, so that waiting for it is nothing; only
// check mode remembers what nobody has waited for.
#include <algorithm>

#include "vgpu/access.h"
#include "vgpu/checks.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

constexpr unsigned kMost = 16;  // bytes of one lane

struct Piece {
  alignas(8) std::byte bytes[kMost] = {};
};

unsigned source_bytes(const Frame& frame, unsigned size, unsigned lane) {
  return frame.in.op.c == kNone
             ? size
             : std::min<unsigned>(size, word(frame.warp.file, frame.in.op.c, lane));
}

/// Reads what the lanes copy; lanes that copy less than `size` bytes form groups of their own.
template <Mode M>
bool read_pieces(const Frame& frame, Request request, std::uint32_t active, Piece (&pieces)[kLanes],
                 std::uint32_t& defined) {
  Lanes lanes;
  while (active != 0) {
    const unsigned extent = source_bytes(frame, request.bytes, first_lane(active));
    std::uint32_t group = 0;
    for_lanes(active, [&](unsigned l) {
      if (source_bytes(frame, request.bytes, l) == extent) group |= bit_of(l);
    });
    active &= ~group;
    if (extent == 0) continue;
    request.extent = extent;
    if (!resolve(frame, request, group, lanes)) return false;
    active |= group & ~lanes.active;
    if constexpr (M == Mode::kCount) count(frame, lanes, request.bytes);
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->read(frame, lanes, extent, defined)) return false;
    for_lanes(lanes.active,
              [&](unsigned l) { std::memcpy(pieces[l].bytes, lanes.host[l], extent); });
  }
  return true;
}

}  // namespace

template <Mode M>
bool execute_copy(const Frame& frame, const Access& access, std::uint32_t active) {
  const unsigned size = unsigned(access.bytes) * access.elements;
  const Request from{.space = ptx::Space::kGlobal,
                     .base = frame.in.op.b,
                     .address32 = access.address32,
                     .offset = access.offset,
                     .bytes = size,
                     .action = Action::kRead};
  const Request to{.space = ptx::Space::kShared,
                   .base = frame.in.op.a,
                   .address32 = true,
                   .offset = frame.in.op.imm,
                   .bytes = size,
                   .action = Action::kWrite};
  if constexpr (M == Mode::kCheck)
    if (!frame.block.checks->address(frame, from, active) ||
        !frame.block.checks->address(frame, to, active))
      return false;
  Piece pieces[kLanes];
  std::uint32_t defined = ~0u;
  if (!read_pieces<M>(frame, from, active, pieces, defined)) return false;
  Lanes lanes;
  if (!resolve(frame, to, active, lanes)) return false;
  if constexpr (M == Mode::kCount) count(frame, lanes, size);
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    const std::span<const std::byte> piece(pieces[l].bytes, size);
    if constexpr (M == Mode::kCheck) {
      if (!frame.block.checks->copy(frame, lanes, l, piece, (defined & bit_of(l)) != 0))
        return false;
    } else {
      std::memcpy(lanes.host[l], piece.data(), size);
    }
  }
  return true;
}

template bool execute_copy<Mode::kValues>(const Frame&, const Access&, std::uint32_t);
template bool execute_copy<Mode::kCheck>(const Frame&, const Access&, std::uint32_t);
template bool execute_copy<Mode::kCount>(const Frame&, const Access&, std::uint32_t);

}  // namespace kp::vgpu
