// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/instruments.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "device/cuda/worker/kernel_call.h"

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kHoldNanoseconds = 1'000'000'000;
constexpr std::uint64_t kFlushFactor = 2;  // of the size of L2
constexpr unsigned kFlushThreads = 512, kFlushBlocksPerSm = 4;
constexpr std::uint64_t kLineBytes = 16;  // of kp_scrub

Faulty<void> find_kernels(const Driver& driver, Instruments& made) {
  const std::pair<const char*, CUfunction*> wanted[] = {{"kp_hold", &made.hold},
                                                        {"kp_scrub", &made.scrub},
                                                        {"kp_sweep", &made.sweep},
                                                        {"kp_tick", &made.tick},
                                                        {"kp_probe", &made.probe}};
  for (const auto& [name, function] : wanted)
    KP_CALL(driver, cuModuleGetFunction, function, made.module, name);
  return {};
}

Faulty<void> make_board(const Driver& driver, Instruments& made) {
  const std::size_t bytes = sizeof(Board) + 2 * made.sm_count * sizeof(Tick);
  void* memory = nullptr;
  KP_CALL(driver, cuMemHostAlloc, &memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP);
  std::memset(memory, 0, bytes);
  made.board = static_cast<Board*>(memory);
  KP_CALL(driver, cuMemHostGetDevicePointer, &made.board_address, memory, 0);
  return {};
}

Faulty<void> make_flush(const Driver& driver, Instruments& instruments) {
  if (instruments.flush != 0) return {};
  const std::uint64_t bytes = kFlushFactor * instruments.l2_bytes;
  KP_CALL(driver, cuMemAlloc, &instruments.flush, bytes);
  instruments.flush_bytes = bytes;
  return {};
}

}  // namespace

Faulty<Instruments> make_instruments(const Driver& driver, CUdevice device,
                                     std::span<const std::byte> cubin) {
  Instruments made;
  KP_OR_FAULT(made.module, load_image(driver, cubin));
  KP_OR_FAULT_VOID(find_kernels(driver, made));
  KP_OR_FAULT(made.sm_count, attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  KP_OR_FAULT(made.l2_bytes, attribute(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  KP_OR_FAULT_VOID(make_board(driver, made));
  return made;
}

Faulty<void> make_events(const Driver& driver, Instruments& instruments, std::size_t count) {
  while (instruments.events.size() < count) {
    CUevent event = nullptr;
    KP_CALL(driver, cuEventCreate, &event, CU_EVENT_DEFAULT);
    instruments.events.push_back(event);
  }
  return {};
}

Faulty<void> hold_stream(const Driver& driver, Instruments& instruments, CUstream stream) {
  const Board& board = *instruments.board;
  return call(driver, instruments.hold, {.stream = stream}, instruments.address_of(&board.release),
              ++instruments.ticket, instruments.address_of(&board.expired), kHoldNanoseconds);
}

void release_stream(const Instruments& instruments) {
  instruments.board->release = instruments.ticket;
}

bool hold_expired(const Instruments& instruments) {
  return instruments.board->expired == instruments.ticket;
}

Faulty<void> flush_l2(const Driver& driver, Instruments& instruments, CUstream stream) {
  KP_OR_FAULT_VOID(make_flush(driver, instruments));
  const CallShape shape{.blocks = kFlushBlocksPerSm * instruments.sm_count,
                        .threads = kFlushThreads,
                        .stream = stream};
  const std::uint64_t lines = instruments.flush_bytes / kLineBytes;
  KP_OR_FAULT_VOID(
      call(driver, instruments.scrub, shape, instruments.flush, lines, instruments.ticket));
  return call(driver, instruments.sweep, shape, instruments.flush, lines, instruments.flush,
              std::uint32_t{0});
}

Faulty<void> tick(const Driver& driver, const Instruments& instruments, CUstream stream,
                  const TickRequest& request) {
  const bool waits = !request.since.empty();
  const CUdeviceptr since = waits ? instruments.address_of(request.since.data()) : 0;
  return call(driver, instruments.tick, {.blocks = instruments.sm_count, .stream = stream},
              instruments.address_of(request.ticks.data()), instruments.sm_count, since, kClockSpan,
              instruments.address_of(&instruments.board->reached), request.mark);
}

}  // namespace kp::device::cuda
