// SPDX-License-Identifier: Apache-2.0
// Memory instructions: from the addresses in a warp's registers to the host's bytes. Every access
// is bounds-checked in every mode. interpreter.cc calls execute_memory; the other names are shared
// by the files that carry out one family each.
//
// Blocks may run on several host threads, and a kernel with a race then races here as it does on
// the device. Aligned elements of up to 8 bytes are therefore moved by relaxed atomic loads and
// stores (which cost nothing on the host); warps that touch one contiguous run are moved by memcpy.
#pragma once
#include <cstdint>

#include "vgpu/block.h"
#include "vgpu/counters.h"

namespace kp::vgpu {

/// One instruction of one warp.
struct Frame {
  Block& block;
  Warp& warp;
  const Instruction& in;
  std::uint32_t pc;
  SmCounters* counters;  // count mode only
};

enum class Window : std::uint8_t { kGlobal, kShared, kLocal };

/// Where the active lanes of an access go. All in one window.
struct Lanes {
  alignas(64) std::uint64_t address[kLanes];  // device address; offset in shared or local memory
  alignas(64) std::byte* host[kLanes];
  std::uint32_t active = 0;
  Window window = Window::kGlobal;
};

enum class Action : std::uint8_t { kRead, kWrite, kAtomic };
std::string_view verb_of(Action action);  // "reads"

/// The lanes of `active` that go to the same window as the first of them, resolved for `bytes` a
/// lane. False: Block::fault says what is wrong.
struct Request {
  ptx::Space space = ptx::Space::kGeneric;
  std::uint32_t base = kNone;  // address register, or kNone
  bool address32 = false;
  std::int64_t offset = 0;
  unsigned bytes = 4;   // of a lane: its alignment
  unsigned extent = 0;  // bytes really touched, when not all of `bytes` are
  Action action = Action::kRead;
};
bool resolve(const Frame& frame, const Request& request, std::uint32_t active, Lanes& lanes);
/// The two halves of resolve: addresses and their window, then bounds and host addresses. Between
/// them the caller may move addresses.
void place(const Frame& frame, const Request& request, std::uint32_t active, Lanes& lanes);
bool resolve_addresses(const Frame& frame, const Request& request, Lanes& lanes);

/// What a load, a store or an atomic asks for.
inline Request request_of(const Instruction& in, const Access& access, Action action) {
  return {.space = access.space,
          .base = in.op.a,
          .address32 = access.address32,
          .offset = access.offset,
          .bytes = unsigned(access.bytes) * access.elements,
          .action = action};
}

/// Tells the counters.
void count(const Frame& frame, const Lanes& lanes, unsigned bytes);

/// Runs any of the memory kinds. False: Block::fault is set.
template <Mode M>
bool execute_memory(const Frame& frame, std::uint32_t active);

template <Mode M>
bool execute_atomic(const Frame& frame, const Access& access, std::uint32_t active);
template <Mode M>
bool execute_copy(const Frame& frame, const Access& access, std::uint32_t active);
template <Mode M>
bool execute_matrix(const Frame& frame, const Access& access, std::uint32_t active);
template <Mode M>
bool execute_mbarrier(const Frame& frame, const Access& access, std::uint32_t active);

}  // namespace kp::vgpu
