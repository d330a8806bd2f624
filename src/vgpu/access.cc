// SPDX-License-Identifier: Apache-2.0
#include "vgpu/access.h"

#include <fmt/format.h>

#include "vgpu/checks.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

template <class T>
void load_extended(std::byte* reg, unsigned stride, const Lanes& lanes, unsigned at) {
  if (stride == 8)
    load_lanes<T, std::uint64_t>(reg, lanes, at);
  else
    load_lanes<T, std::uint32_t>(reg, lanes, at);
}

void load_quads(std::byte* reg, const Lanes& lanes, unsigned at) {
  for_lanes(lanes.active, [&](unsigned l) {
    for (unsigned half = 0; half < 16; half += 8) {
      const auto value = load_relaxed<std::uint64_t>(lanes.host[l] + at + half);
      std::memcpy(reg + l * 16 + half, &value, 8);
    }
  });
}

Element element(const Access& access, unsigned number) {
  return {access.type, access.bytes, number * access.bytes};
}

void load_registers(const Frame& frame, const Access& access, const Lanes& lanes) {
  const unsigned stride = lane_stride(frame.in.width[0], access.bytes);
  std::byte* const file = frame.warp.file;
  if (access.elements == 1 && stride == access.bytes && contiguous(lanes, stride)) {
    std::memcpy(file + access.registers[0], lanes.host[0], std::size_t{stride} * kLanes);
    return;
  }
  for (unsigned e = 0; e < access.elements; ++e)
    if (access.registers[e] != kNone)
      load_element(file + access.registers[e], stride, lanes, element(access, e));
}

void store_registers(const Frame& frame, const Access& access, const Lanes& lanes) {
  const unsigned stride = lane_stride(frame.in.width[0], access.bytes);
  const std::byte* const file = frame.warp.file;
  if (access.elements == 1 && stride == access.bytes && contiguous(lanes, stride)) {
    std::memcpy(lanes.host[0], file + access.registers[0], std::size_t{stride} * kLanes);
    return;
  }
  for (unsigned e = 0; e < access.elements; ++e)
    store_element(file + access.registers[e], stride, lanes, element(access, e));
}

/// The parameters are the same for all threads and outside of device memory.
bool load_parameters(const Frame& frame, const Access& access, std::uint32_t active) {
  const auto parameters = frame.block.launch.parameter_bytes;
  const unsigned bytes = unsigned(access.bytes) * access.elements;
  Lanes lanes;
  lanes.active = active;
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned l = first_lane(rest);
    std::uint64_t at = std::uint64_t(access.offset);
    if (frame.in.op.a != kNone)
      at += access.address32 ? word(frame.warp.file, frame.in.op.a, l)
                             : wide(frame.warp.file, frame.in.op.a, l);
    if (at % access.bytes != 0 || bytes > parameters.size() || at > parameters.size() - bytes)
      return frame.block.fail(FaultKind::kMemory,
                              fmt::format("reads {} bytes at offset {} of {} bytes of parameters",
                                          bytes, std::int64_t(at), parameters.size()),
                              frame.pc, frame.warp, l);
    // Lanes only ever reads through it here.
    lanes.host[l] = const_cast<std::byte*>(parameters.data()) + at;
  }
  const unsigned stride = lane_stride(frame.in.width[0], access.bytes);
  for (unsigned e = 0; e < access.elements; ++e)
    if (access.registers[e] != kNone)
      load_element(frame.warp.file + access.registers[e], stride, lanes, element(access, e));
  return true;
}

template <Mode M>
bool execute_load(const Frame& frame, const Access& access, std::uint32_t active) {
  if (access.space == ptx::Space::kParam) {
    if (!load_parameters(frame, access, active)) return false;
    if constexpr (M == Mode::kCheck)
      for (unsigned e = 0; e < access.elements; ++e)
        frame.block.checks->define(frame.warp, access.registers[e],
                                   lane_stride(frame.in.width[0], access.bytes) / 2, active, ~0u);
    return true;
  }
  const Request request = request_of(frame.in, access, Action::kRead);
  Lanes lanes;
  for (; active != 0; active &= ~lanes.active) {
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->address(frame, request, active)) return false;
    if (!resolve(frame, request, active, lanes)) return false;
    if constexpr (M == Mode::kCount) count(frame, lanes, request.bytes);
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->load(frame, access, lanes)) return false;
    load_registers(frame, access, lanes);
  }
  return true;
}

template <Mode M>
bool execute_store(const Frame& frame, const Access& access, std::uint32_t active) {
  const Request request = request_of(frame.in, access, Action::kWrite);
  Lanes lanes;
  for (; active != 0; active &= ~lanes.active) {
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->address(frame, request, active)) return false;
    if (!resolve(frame, request, active, lanes)) return false;
    if constexpr (M == Mode::kCount) count(frame, lanes, request.bytes);
    if constexpr (M == Mode::kCheck) {
      if (!frame.block.checks->store(frame, access, lanes)) return false;
    } else {
      store_registers(frame, access, lanes);
    }
  }
  return true;
}

void take_parameter_address(const Frame& frame, std::uint32_t active) {
  const std::uint64_t address = frame.block.launch.parameters + frame.in.op.imm;
  for_lanes(active, [&](unsigned l) { set_wide(frame.warp.file, frame.in.op.dst, l, address); });
}

}  // namespace

void load_element(std::byte* reg, unsigned stride, const Lanes& lanes, Element element) {
  const ptx::Type type = element.type;
  const unsigned at = element.at;
  const bool is_signed =
      type == ptx::Type::kS8 || type == ptx::Type::kS16 || type == ptx::Type::kS32;
  switch (element.bytes) {
    case 1:
      return is_signed ? load_extended<std::int8_t>(reg, stride, lanes, at)
                       : load_extended<std::uint8_t>(reg, stride, lanes, at);
    case 2:
      return is_signed ? load_extended<std::int16_t>(reg, stride, lanes, at)
                       : load_extended<std::uint16_t>(reg, stride, lanes, at);
    case 4:
      return is_signed ? load_extended<std::int32_t>(reg, stride, lanes, at)
                       : load_extended<std::uint32_t>(reg, stride, lanes, at);
    case 8:
      return load_lanes<std::uint64_t, std::uint64_t>(reg, lanes, at);
    default:
      return load_quads(reg, lanes, at);
  }
}

void store_element(const std::byte* reg, unsigned stride, const Lanes& lanes, Element element) {
  switch (element.bytes) {
    case 1:
      return store_lanes<std::uint8_t>(reg, stride, lanes, element.at);
    case 2:
      return store_lanes<std::uint16_t>(reg, stride, lanes, element.at);
    case 4:
      return store_lanes<std::uint32_t>(reg, stride, lanes, element.at);
    case 8:
      return store_lanes<std::uint64_t>(reg, stride, lanes, element.at);
    default:
      store_lanes<std::uint64_t>(reg, stride, lanes, element.at);
      store_lanes<std::uint64_t>(reg + 8, stride, lanes, element.at + 8);
  }
}

template <Mode M>
bool execute_memory(const Frame& frame, std::uint32_t active) {
  const Instruction& in = frame.in;
  if (in.kind == Kind::kGridConstant) {
    take_parameter_address(frame, active);
    if constexpr (M == Mode::kCheck)
      frame.block.checks->define(frame.warp, in.op.dst, 4, active, ~0u);
    return true;
  }
  const Access& access = frame.block.launch.program.accesses[in.extra];
  switch (in.kind) {
    case Kind::kLoad:
      return execute_load<M>(frame, access, active);
    case Kind::kStore:
      return execute_store<M>(frame, access, active);
    case Kind::kAtomic:
      return execute_atomic<M>(frame, access, active);
    case Kind::kCopyAsync:
      return execute_copy<M>(frame, access, active);
    case Kind::kMatrixLoad:
    case Kind::kMatrixStore:
      return execute_matrix<M>(frame, access, active);
    case Kind::kMbarrier:
      return execute_mbarrier<M>(frame, access, active);
    default:
      return frame.block.fail(FaultKind::kUnsupported,
                              "is an instruction that the virtual GPU cannot execute", frame.pc,
                              frame.warp, first_lane(active));
  }
}

template bool execute_memory<Mode::kValues>(const Frame&, std::uint32_t);
template bool execute_memory<Mode::kCheck>(const Frame&, std::uint32_t);
template bool execute_memory<Mode::kCount>(const Frame&, std::uint32_t);

}  // namespace kp::vgpu
