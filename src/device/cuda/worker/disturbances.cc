// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/disturbances.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/secret.h"
#include "device/cuda/worker/kernel_call.h"

namespace kp::device::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kOccupiedNanoseconds = 2'000'000;
constexpr std::chrono::milliseconds kPatience{5};  // for kp_occupy to begin: it takes 10 us
constexpr unsigned kThreads = 1024;
constexpr unsigned kLocalBlocksPerSm = 2;            // of kThreads: all that an SM holds
constexpr unsigned kSharedBlocksPerSm = 2;           // one after the other: no SM is left out
constexpr unsigned kLeastShare = 24, kShares = 105;  // of 256 SMs; 128 at most
constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

Faulty<void> find_kernels(const Driver& driver, CUmodule module, Disturbances& made) {
  const std::pair<const char*, CUfunction*> wanted[] = {{"kp_fill_shared", &made.fill_shared},
                                                        {"kp_fill_local", &made.fill_local},
                                                        {"kp_occupy", &made.occupy}};
  for (const auto& [name, function] : wanted)
    KP_CALL(driver, cuModuleGetFunction, function, module, name);
  for (CUfunction function : {made.fill_shared, made.occupy})
    KP_CALL(driver, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(made.shared_bytes));
  return {};
}

Faulty<void> make_board(const Driver& driver, Disturbances& made) {
  void* memory = nullptr;
  KP_CALL(driver, cuMemHostAlloc, &memory, sizeof(Occupation), CU_MEMHOSTALLOC_DEVICEMAP);
  std::memset(memory, 0, sizeof(Occupation));
  made.board = static_cast<Occupation*>(memory);
  KP_CALL(driver, cuMemHostGetDevicePointer, &made.board_address, memory, 0);
  return {};
}

CUdeviceptr address_of(const Disturbances& disturbances, const volatile std::uint32_t& member) {
  const auto offset = reinterpret_cast<const volatile char*>(&member) -
                      reinterpret_cast<const volatile char*>(disturbances.board);
  return disturbances.board_address + static_cast<CUdeviceptr>(offset);
}

Faulty<void> warm_up(const Driver& driver, Disturbances& made) {
  KP_OR_FAULT_VOID(fill_leftovers(driver, made, made.beside));
  KP_CALL(driver, cuStreamSynchronize, made.beside);
  return {};
}

}  // namespace

Faulty<Disturbances> make_disturbances(const Driver& driver, CUdevice device, CUmodule module) {
  Disturbances made;
  KP_OR_FAULT(const int sms, attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  KP_OR_FAULT(const int shared,
              attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  made.sm_count = static_cast<unsigned>(sms);
  made.shared_bytes = static_cast<unsigned>(shared);
  KP_OR_FAULT_VOID(find_kernels(driver, module, made));
  KP_OR_FAULT_VOID(make_board(driver, made));
  KP_CALL(driver, cuStreamCreate, &made.beside, CU_STREAM_NON_BLOCKING);
  // Nobody knows the pattern; where the system gives no random number it is at least never twice
  // the same.
  made.salt = secret_number().value_or(kGolden);
  KP_OR_FAULT_VOID(warm_up(driver, made));
  return made;
}

Faulty<void> fill_leftovers(const Driver& driver, Disturbances& disturbances, CUstream stream) {
  const std::uint64_t seed = disturbances.salt += kGolden;
  const std::uint32_t words = disturbances.shared_bytes / sizeof(std::uint32_t);
  KP_OR_FAULT_VOID(call(driver, disturbances.fill_shared,
                        {.blocks = kSharedBlocksPerSm * disturbances.sm_count,
                         .threads = kThreads,
                         .stream = stream,
                         .shared = disturbances.shared_bytes},
                        words, seed));
  return call(
      driver, disturbances.fill_local,
      {.blocks = kLocalBlocksPerSm * disturbances.sm_count, .threads = kThreads, .stream = stream},
      seed);
}

Faulty<void> occupy(const Driver& driver, Disturbances& disturbances, std::uint64_t seed) {
  const std::uint32_t ticket = ++disturbances.ticket;
  const auto share = static_cast<std::uint32_t>(kLeastShare + seed % kShares);
  KP_OR_FAULT_VOID(call(driver, disturbances.occupy,
                        {.blocks = disturbances.sm_count,
                         .stream = disturbances.beside,
                         .shared = disturbances.shared_bytes},
                        seed * kGolden, share, kOccupiedNanoseconds,
                        address_of(disturbances, disturbances.board->release),
                        address_of(disturbances, disturbances.board->begun), ticket));
  // The candidate's first block must find the SMs taken. A GPU that is busy elsewhere may let us
  // wait: then the candidate runs as it would alone.
  const auto end = Clock::now() + kPatience;
  while (disturbances.board->begun != ticket && Clock::now() < end) {
  }
  return {};
}

Faulty<void> leave(const Driver& driver, Disturbances& disturbances) {
  disturbances.board->release = disturbances.ticket;
  KP_CALL(driver, cuStreamSynchronize, disturbances.beside);
  return {};
}

}  // namespace kp::device::cuda
