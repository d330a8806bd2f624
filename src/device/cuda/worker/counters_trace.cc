// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_trace.h"

#include <fmt/format.h>

#include "device/cuda/worker/counters_api.h"

#if KP_HAS_CUPTI
#include <cupti_activity.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#endif

namespace kp::device::cuda {

#if KP_HAS_CUPTI
namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

struct Record {
  std::uint32_t correlation = 0;  // ascends from launch to launch
  std::uint64_t start = 0, end = 0;
};

struct ActivityApi {
  decltype(&::cuptiActivityRegisterCallbacks) callbacks = nullptr;
  decltype(&::cuptiActivityEnable) enable = nullptr;
  decltype(&::cuptiActivityDisable) disable = nullptr;
  decltype(&::cuptiActivityGetNextRecord) next = nullptr;
  decltype(&::cuptiActivityFlushAll) flush = nullptr;
};

/// CUPTI calls back from a thread of its own. Never destroyed.
struct Collected {
  ActivityApi api;
  std::mutex mutex;
  std::vector<Record> records;
};
Collected& collected() {
  static auto* only = new Collected;
  return *only;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  const std::lock_guard held(collected().mutex);
  CUpti_Activity* record = nullptr;
  while (collected().api.next(buffer, valid, &record) == CUPTI_SUCCESS && record != nullptr) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    collected().records.push_back({kernel.correlationId, kernel.start, kernel.end});
  }
  std::free(buffer);
}

template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<void> begin() {
  ActivityApi& api = collected().api;
  if (api.flush != nullptr) return {};
  KP_TRY(void* library, cupti_library());
  const bool complete = resolve(library, "cuptiActivityRegisterCallbacks", api.callbacks) &&
                        resolve(library, "cuptiActivityEnable", api.enable) &&
                        resolve(library, "cuptiActivityDisable", api.disable) &&
                        resolve(library, "cuptiActivityGetNextRecord", api.next) &&
                        resolve(library, "cuptiActivityFlushAll", api.flush);
  if (!complete) return fail(ErrorCode::kUnavailable, "CUPTI has no activity records");
  if (const auto code = api.callbacks(&give_buffer, &take_buffer); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiActivityRegisterCallbacks");
  return {};
}

std::vector<KernelTime> last_of(std::vector<Record> records, std::size_t kernels) {
  std::ranges::sort(records, {}, &Record::correlation);
  records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(kernels));
  std::uint64_t first = ~0ull;
  for (const Record& record : records) first = std::min(first, record.start);
  std::vector<KernelTime> times;
  for (const Record& record : records)
    times.push_back(
        {static_cast<double>(record.start - first), static_cast<double>(record.end - first)});
  return times;
}

}  // namespace

Result<std::vector<KernelTime>> trace_kernels(std::size_t kernels,
                                              const std::function<Result<void>()>& launch) {
  KP_TRY_VOID(begin());
  const ActivityApi& api = collected().api;
  collected().records.clear();
  if (const auto code = api.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiActivityEnable");
  const auto launched = launch();
  api.flush(0);
  api.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  if (!launched) return tl::unexpected<Error>(launched.error());
  const std::lock_guard held(collected().mutex);
  if (collected().records.size() < kernels) {
    return fail(ErrorCode::kUnavailable, fmt::format("CUPTI recorded {} kernels of {}",
                                                     collected().records.size(), kernels));
  }
  return last_of(std::move(collected().records), kernels);
}

#else

Result<std::vector<KernelTime>> trace_kernels(std::size_t, const std::function<Result<void>()>&) {
  return fail(ErrorCode::kUnavailable, "this build has no CUPTI",
              "install the package cuda-cupti-dev-13-0 and build again");
}

#endif

}  // namespace kp::device::cuda
