// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.cu with the memory that they need, which lies outside the judge's range.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "device/cuda/driver.h"
#include "device/cuda/worker/driver_call.h"
#include "device/cuda/worker/sm_clock.h"

namespace kp::device::cuda {

/// Host memory that the GPU sees too: readable when the context is lost.
struct Board {
  volatile std::uint32_t release, expired;  // tickets of kp_hold
  volatile std::uint32_t reached;           // how far the stream has come
  std::uint32_t unused;
};

struct Instruments {
  CUmodule module = nullptr;
  CUfunction hold = nullptr, scrub = nullptr, sweep = nullptr, tick = nullptr, probe = nullptr;
  unsigned sm_count = 0;
  std::uint64_t l2_bytes = 0;
  Board* board = nullptr;  // followed by 2 * sm_count Ticks: before and after a lap
  CUdeviceptr board_address = 0;
  std::uint32_t ticket = 0;
  CUdeviceptr flush = 0;  // made when it is first needed
  std::uint64_t flush_bytes = 0;
  std::vector<CUevent> events;

  std::span<Tick> before() const { return {reinterpret_cast<Tick*>(board + 1), sm_count}; }
  std::span<Tick> after() const { return {before().data() + sm_count, sm_count}; }
  CUdeviceptr address_of(const volatile void* on_board) const {
    return board_address + static_cast<CUdeviceptr>(static_cast<const volatile char*>(on_board) -
                                                    reinterpret_cast<volatile char*>(board));
  }
};

/// `cubin`: of kernels.cu.
Faulty<Instruments> make_instruments(const Driver& driver, CUdevice device,
                                     std::span<const std::byte> cubin);

/// At least `count` events.
Faulty<void> make_events(const Driver& driver, Instruments& instruments, std::size_t count);

/// Onto the stream. Held until release_stream, or for a second should it not come.
Faulty<void> hold_stream(const Driver& driver, Instruments& instruments, CUstream stream);
void release_stream(const Instruments& instruments);
/// Whether the last hold ended by its limit: what followed it waited for the host.
bool hold_expired(const Instruments& instruments);

/// Leaves L2 full of clean lines that nobody needs.
Faulty<void> flush_l2(const Driver& driver, Instruments& instruments, CUstream stream);

/// Notes time and cycles of each SM, then writes to Board::reached.
struct TickRequest {
  std::span<Tick> ticks;          // before() or after()
  std::span<const Tick> since{};  // each SM waits until kClockSpan has passed since its tick there
  std::uint32_t mark = 0;
};
Faulty<void> tick(const Driver& driver, const Instruments& instruments, CUstream stream,
                  const TickRequest& request);

}  // namespace kp::device::cuda
