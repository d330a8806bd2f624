// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix (8x8 matrices of 16-bit elements, one row address a lane) and wmma.load and
// wmma.store (one matrix with a stride; Program::fragments says which lane holds what).
#include <array>

#include "vgpu/access.h"
#include "vgpu/checks.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

constexpr unsigned kRow = 16;  // bytes of a row of an 8x8 matrix

/// The element of an 8x8 matrix that half `half` of a lane's register holds.
struct Place {
  unsigned row, column;
};
Place place_of(unsigned lane, unsigned half, bool transposed) {
  const unsigned long_side = 2 * (lane % 4) + half, short_side = lane / 4;
  return transposed ? Place{long_side, short_side} : Place{short_side, long_side};
}

Request rows_of(const Frame& frame, const Access& access, Action action) {
  return {.space = access.space,
          .base = frame.in.op.a,
          .address32 = access.address32,
          .offset = access.offset,
          .bytes = kRow,
          .action = action};
}

template <Mode M>
bool resolve_rows(const Frame& frame, const Request& request, unsigned matrices, Lanes& lanes) {
  const std::uint32_t rows = matrices >= 4 ? ~0u : (1u << 8 * matrices) - 1;
  if constexpr (M == Mode::kCheck)
    if (!frame.block.checks->address(frame, request, rows)) return false;
  if (!resolve(frame, request, rows, lanes)) return false;
  if constexpr (M == Mode::kCount) count(frame, lanes, kRow);
  return true;
}

template <Mode M>
bool load_rows(const Frame& frame, const Access& access, std::uint32_t active) {
  Lanes lanes;
  if (!resolve_rows<M>(frame, rows_of(frame, access, Action::kRead), access.elements, lanes))
    return false;
  std::uint32_t defined = ~0u;
  if constexpr (M == Mode::kCheck)
    if (!frame.block.checks->read(frame, lanes, kRow, defined)) return false;
  const bool transposed = (frame.in.op.imm & 1) != 0;
  for (unsigned m = 0; m < access.elements; ++m) {
    for_lanes(active, [&](unsigned l) {
      std::uint32_t value = 0;
      for (unsigned half = 0; half < 2; ++half) {
        const Place at = place_of(l, half, transposed);
        const auto bits = load_relaxed<std::uint16_t>(lanes.host[8 * m + at.row] + 2 * at.column);
        value |= std::uint32_t(bits) << 16 * half;
      }
      set_word(frame.warp.file, access.registers[m], l, value);
    });
    // One undefined row makes the whole matrix undefined: coarser than the device, and rows are
    // always filled together.
    if constexpr (M == Mode::kCheck)
      frame.block.checks->define(frame.warp, access.registers[m], 2, active,
                                 (defined >> 8 * m & 0xff) == 0xff ? ~0u : 0u);
  }
  return true;
}

template <Mode M>
bool store_rows(const Frame& frame, const Access& access) {
  Lanes lanes;
  if (!resolve_rows<M>(frame, rows_of(frame, access, Action::kWrite), access.elements, lanes))
    return false;
  const bool transposed = (frame.in.op.imm & 1) != 0;
  std::array<std::array<std::uint16_t, 8>, kLanes> rows{};
  std::uint32_t defined = ~0u;
  for (unsigned m = 0; m < access.elements; ++m)
    for (unsigned l = 0; l < kLanes; ++l) {
      const std::uint32_t value = word(frame.warp.file, access.registers[m], l);
      for (unsigned half = 0; half < 2; ++half) {
        const Place at = place_of(l, half, transposed);
        rows[8 * m + at.row][at.column] = std::uint16_t(value >> 16 * half);
        if constexpr (M == Mode::kCheck)
          if ((frame.block.checks->defined(frame.warp, access.registers[m], 2) & bit_of(l)) == 0)
            defined &= ~bit_of(8 * m + at.row);
      }
    }
  for (std::uint32_t rest = lanes.active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    const auto bytes = std::as_bytes(std::span(rows[l]));
    if constexpr (M == Mode::kCheck) {
      if (!frame.block.checks->write(frame, lanes, l, bytes, (defined & bit_of(l)) != 0))
        return false;
    } else {
      std::memcpy(lanes.host[l], bytes.data(), kRow);
    }
  }
  return true;
}

/// Sets lanes.address to that of element `e` of each lane's fragment, and resolves it.
template <Mode M>
bool resolve_element(const Frame& frame, const Request& request, const Fragment& fragment,
                     unsigned e, Lanes& lanes) {
  place(frame, request, ~0u, lanes);
  for (unsigned l = 0; l < kLanes; ++l) {
    const std::uint64_t stride = word(frame.warp.file, frame.in.op.b, l);
    const std::uint64_t row = fragment.row[l][e], column = fragment.column[l][e];
    const std::uint64_t index =
        fragment.column_major ? column * stride + row : row * stride + column;
    lanes.address[l] += index * request.bytes;
  }
  if (!resolve_addresses(frame, request, lanes)) return false;
  if constexpr (M == Mode::kCount) count(frame, lanes, request.bytes);
  return true;
}

std::uint64_t low_bits(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

std::uint64_t element_at(const std::byte* host, unsigned bytes) {
  switch (bytes) {
    case 1:
      return load_relaxed<std::uint8_t>(host);
    case 2:
      return load_relaxed<std::uint16_t>(host);
    case 4:
      return load_relaxed<std::uint32_t>(host);
    default:
      return load_relaxed<std::uint64_t>(host);
  }
}

/// Element `e` of a fragment in a lane's registers.
struct Slot {
  std::uint32_t reg;
  unsigned stride, shift;  // bytes between lanes; bits above the register's low end
};
Slot slot_of(const Access& access, const Fragment& fragment, unsigned e) {
  const unsigned per = fragment.per_register;
  const unsigned stride = access.bytes == 8 ? 8 : 4;
  return {access.registers[e / per], stride, e % per * access.bytes * 8};
}

template <Mode M>
bool load_fragment(const Frame& frame, const Access& access, const Fragment& fragment) {
  const Request request{.space = access.space,
                        .base = frame.in.op.a,
                        .address32 = access.address32,
                        .offset = access.offset,
                        .bytes = access.bytes};
  Lanes lanes;
  std::uint32_t whole = ~0u;
  for (unsigned e = 0; e < fragment.elements; ++e) {
    if (!resolve_element<M>(frame, request, fragment, e, lanes)) return false;
    std::uint32_t defined = ~0u;
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->read(frame, lanes, access.bytes, defined)) return false;
    const Slot slot = slot_of(access, fragment, e);
    whole = slot.shift == 0 ? defined : whole & defined;
    for (unsigned l = 0; l < kLanes; ++l) {
      std::uint64_t value = 0;
      std::byte* const lane = frame.warp.file + slot.reg + l * slot.stride;
      if (slot.shift != 0) std::memcpy(&value, lane, slot.stride);
      value |= element_at(lanes.host[l], access.bytes) << slot.shift;
      std::memcpy(lane, &value, slot.stride);
    }
    if constexpr (M == Mode::kCheck)
      frame.block.checks->define(frame.warp, slot.reg, slot.stride / 2, ~0u, whole);
  }
  return true;
}

template <Mode M>
bool store_fragment(const Frame& frame, const Access& access, const Fragment& fragment) {
  const Request request{.space = access.space,
                        .base = frame.in.op.a,
                        .address32 = access.address32,
                        .offset = access.offset,
                        .bytes = access.bytes,
                        .action = Action::kWrite};
  Lanes lanes;
  for (unsigned e = 0; e < fragment.elements; ++e) {
    if (!resolve_element<M>(frame, request, fragment, e, lanes)) return false;
    const Slot slot = slot_of(access, fragment, e);
    for (unsigned l = 0; l < kLanes; ++l) {
      std::uint64_t value = 0;
      std::memcpy(&value, frame.warp.file + slot.reg + l * slot.stride, slot.stride);
      value = low_bits(value >> slot.shift, access.bytes);
      const auto bytes = std::as_bytes(std::span(&value, 1)).first(access.bytes);
      if constexpr (M == Mode::kCheck) {
        const std::uint32_t defined =
            frame.block.checks->defined(frame.warp, slot.reg, slot.stride / 2);
        if (!frame.block.checks->write(frame, lanes, l, bytes, (defined & bit_of(l)) != 0))
          return false;
      } else {
        std::memcpy(lanes.host[l], bytes.data(), bytes.size());
      }
    }
  }
  return true;
}

}  // namespace

template <Mode M>
bool execute_matrix(const Frame& frame, const Access& access, std::uint32_t active) {
  if (active != ~0u)
    return frame.block.fail(FaultKind::kBarrier, "moves a matrix with only some lanes of the warp",
                            frame.pc, frame.warp, first_lane(active));
  const bool loads = frame.in.kind == Kind::kMatrixLoad;
  if (access.fragment == kNone)
    return loads ? load_rows<M>(frame, access, active) : store_rows<M>(frame, access);
  const Fragment& fragment = frame.block.launch.program.fragments[access.fragment];
  return loads ? load_fragment<M>(frame, access, fragment)
               : store_fragment<M>(frame, access, fragment);
}

template bool execute_matrix<Mode::kValues>(const Frame&, const Access&, std::uint32_t);
template bool execute_matrix<Mode::kCheck>(const Frame&, const Access&, std::uint32_t);
template bool execute_matrix<Mode::kCount>(const Frame&, const Access&, std::uint32_t);

}  // namespace kp::vgpu
