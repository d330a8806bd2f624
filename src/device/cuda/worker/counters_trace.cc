// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_trace.h"

#include <fmt/format.h>

#include "device/cuda/worker/counters_api.h"

#if KP_HAS_CUPTI
#include <cupti_activity.h>
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#endif

#include <algorithm>

namespace kp::device::cuda {

#if KP_HAS_CUPTI
namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

struct Record {
  std::uint32_t correlation = 0;  // ascends from launch to launch
  std::uint64_t start = 0, end = 0;
  KernelRecord kernel;
};

KernelRecord record_of(const CUpti_ActivityKernel10& kernel) {
  const auto number = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  return {.name = kernel.name == nullptr ? "unknown" : kernel.name,
          .grid = {number(kernel.gridX), number(kernel.gridY), number(kernel.gridZ)},
          .block = {number(kernel.blockX), number(kernel.blockY), number(kernel.blockZ)}};
}

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
    collected().records.push_back(
        {kernel.correlationId, kernel.start, kernel.end, record_of(kernel)});
  }
  std::free(buffer);
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

std::vector<KernelRecord> in_order(std::vector<Record> records) {
  std::ranges::sort(records, {}, &Record::correlation);
  std::uint64_t first = ~0ull;
  for (const Record& record : records) first = std::min(first, record.start);
  std::vector<KernelRecord> kernels;
  for (Record& record : records) {
    record.kernel.start = static_cast<double>(record.start - first);
    record.kernel.end = static_cast<double>(record.end - first);
    kernels.push_back(std::move(record.kernel));
  }
  return kernels;
}

}  // namespace

Result<std::vector<KernelRecord>> trace_kernels(const std::function<Result<void>()>& launch) {
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
  return in_order(std::exchange(collected().records, {}));
}

#else

Result<std::vector<KernelRecord>> trace_kernels(const std::function<Result<void>()>&) {
  return fail(ErrorCode::kUnavailable, "this build has no CUPTI",
              "install the package cuda-cupti-dev-13-0 and build again");
}

#endif

Result<std::vector<KernelRecord>> last_of(std::vector<KernelRecord> records, std::size_t count) {
  if (records.size() < count) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("CUPTI recorded {} kernels of {}", records.size(), count));
  }
  records.erase(records.begin(), records.end() - static_cast<std::ptrdiff_t>(count));
  double first = records.empty() ? 0 : records.front().start;
  for (const KernelRecord& record : records) first = std::min(first, record.start);
  for (KernelRecord& record : records) record.start -= first, record.end -= first;
  return records;
}

}  // namespace kp::device::cuda
