// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/inject/trace.h"

#include <cupti.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "device/cuda/inject/record_file.h"
#include "device/cuda/worker/counters_api.h"

namespace kp::inject {
namespace {

using device::cuda::resolve;

constexpr std::size_t kBufferBytes = 4u << 20;
constexpr std::uint32_t kFlushMilliseconds = 500;  // a program that is killed loses no more
/// Lines about launches, copies and calls; some 120 MB.
constexpr std::int64_t kMostEvents = 3'000'000;

struct Activities {
  decltype(&::cuptiActivityRegisterCallbacks) callbacks = nullptr;
  decltype(&::cuptiActivityEnable) enable = nullptr;
  decltype(&::cuptiActivityEnableRuntimeApi) enable_runtime = nullptr;
  decltype(&::cuptiActivityEnableDriverApi) enable_driver = nullptr;
  decltype(&::cuptiActivityGetNextRecord) next = nullptr;
  decltype(&::cuptiActivityGetNumDroppedRecords) dropped = nullptr;
  decltype(&::cuptiActivityFlushAll) flush = nullptr;
  decltype(&::cuptiActivityFlushPeriod) flush_period = nullptr;
  decltype(&::cuptiGetCallbackName) callback_name = nullptr;
};

/// All there is of a trace; never destroyed, as CUPTI's thread may outlive main.
struct Trace {
  Activities api;
  RecordFile file;
  std::unordered_map<std::string, int> names;
  std::unordered_map<std::uint64_t, char> runtime, driver;  // letter of a call by its number
  std::int64_t events = 0, dropped = 0;
};
Trace& trace() {
  static auto* only = new Trace;
  return *only;
}

bool resolve_all(void* library, Activities& api) {
  return resolve(library, "cuptiActivityRegisterCallbacks", api.callbacks) &&
         resolve(library, "cuptiActivityEnable", api.enable) &&
         resolve(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime) &&
         resolve(library, "cuptiActivityEnableDriverApi", api.enable_driver) &&
         resolve(library, "cuptiActivityGetNextRecord", api.next) &&
         resolve(library, "cuptiActivityGetNumDroppedRecords", api.dropped) &&
         resolve(library, "cuptiActivityFlushAll", api.flush) &&
         resolve(library, "cuptiActivityFlushPeriod", api.flush_period) &&
         resolve(library, "cuptiGetCallbackName", api.callback_name);
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Which kind of call a name means to a timeline; 0: none.
char letter_of(std::string_view name) {
  if (holds(name, "GraphLaunch")) return 'g';
  if (holds(name, "LaunchHostFunc") || holds(name, "GraphKernel")) return 0;
  if (holds(name, "LaunchKernel") || holds(name, "LaunchCooperativeKernel")) return 'l';
  if (holds(name, "StreamSynchronize") || holds(name, "DeviceSynchronize") ||
      holds(name, "CtxSynchronize") || holds(name, "EventSynchronize"))
    return 's';
  if (holds(name, "ModuleLoad") || holds(name, "LibraryLoad")) return 'u';
  if (holds(name, "Async") || holds(name, "Array") || holds(name, "Pool")) return 0;
  const bool takes = holds(name, "Malloc") || holds(name, "MemAlloc") || holds(name, "MemCreate");
  const bool gives = holds(name, "cudaFree") || holds(name, "MemFree") || holds(name, "MemRelease");
  return takes || gives ? 'a' : '\0';
}

using EnableCall = decltype(&::cuptiActivityEnableRuntimeApi);
void enable_calls(CUpti_CallbackDomain domain, std::uint32_t count, EnableCall enable,
                  std::unordered_map<std::uint64_t, char>& letters) {
  for (std::uint32_t call = 1; call < count; ++call) {
    const char* name = nullptr;
    if (trace().api.callback_name(domain, call, &name) != CUPTI_SUCCESS || name == nullptr)
      continue;
    if (const char letter = letter_of(name); letter != 0 && enable(call, 1) == CUPTI_SUCCESS)
      letters[call] = letter;
  }
}

int number_of(const char* name) {
  Trace& t = trace();
  const auto [at, is_new] =
      t.names.try_emplace(name == nullptr ? "unknown" : name, static_cast<int>(t.names.size()));
  if (is_new) t.file.line("n {} {}", at->second, at->first);
  return at->second;
}

void write_kernel(const CUpti_ActivityKernel10& kernel) {
  trace().file.line("k {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", number_of(kernel.name),
                    kernel.start, kernel.end, kernel.deviceId, kernel.streamId, kernel.gridX,
                    kernel.gridY, kernel.gridZ, kernel.blockX, kernel.blockY, kernel.blockZ,
                    kernel.registersPerThread, kernel.staticSharedMemory,
                    kernel.dynamicSharedMemory, kernel.localMemoryPerThread,
                    kernel.graphNodeId != 0 ? 1 : 0);
}

void write_copy(const CUpti_ActivityMemcpy6& copy) {
  const auto host = [](std::uint8_t kind) {
    return kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE || kind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  };
  const bool pageable = copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
                        copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  const bool crosses = host(copy.srcKind) != host(copy.dstKind);
  trace().file.line("c {} {} {} {} {}", copy.start, copy.end, copy.bytes, crosses ? 'h' : 'd',
                    pageable ? 1 : 0);
}

void write_call(const CUpti_ActivityAPI& call) {
  Trace& t = trace();
  const auto& letters = call.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? t.runtime : t.driver;
  const auto letter = letters.find(call.cbid);
  if (letter != letters.end())
    t.file.line("a {} {} {} {}", letter->second, call.start, call.end, call.threadId);
}

void write_device(const CUpti_ActivityDevice5& device) {
  trace().file.line("d {} {} {} {}", device.id, device.computeCapabilityMajor,
                    device.computeCapabilityMinor, device.name == nullptr ? "" : device.name);
}

template <class Record>
const Record& as(const CUpti_Activity* record) {
  return *reinterpret_cast<const Record*>(record);
}

void write(const CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_DEVICE)
    return write_device(as<CUpti_ActivityDevice5>(record));
  if (trace().events++ >= kMostEvents) return;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return write_kernel(as<CUpti_ActivityKernel10>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return write_copy(as<CUpti_ActivityMemcpy6>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = as<CUpti_ActivityMemset4>(record);
      return trace().file.line("f {} {}", fill.start, fill.end);
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return write_call(as<CUpti_ActivityAPI>(record));
    default:
      return;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*size*/, std::size_t valid) {
  Trace& t = trace();
  for (CUpti_Activity* record = nullptr;
       t.api.next(buffer, valid, &record) == CUPTI_SUCCESS && record != nullptr;)
    write(record);
  std::size_t dropped = 0;
  if (t.api.dropped(context, stream, &dropped) == CUPTI_SUCCESS)
    t.dropped += static_cast<std::int64_t>(dropped);
  t.file.flush();
  std::free(buffer);
}

void finish() {
  Trace& t = trace();
  t.api.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::int64_t left_out = std::max<std::int64_t>(0, t.events - kMostEvents);
  t.file.line("e {}", t.dropped + left_out);
  t.file.flush();
}

}  // namespace

void start_trace(const std::string& folder) {
  Trace& t = trace();
  if (!t.file.open(folder, "trace")) return;
  t.file.line("kernelpro-trace 1");
  const auto library = device::cuda::cupti_library();
  if (!library || !resolve_all(*library, t.api)) {
    t.file.line("x {}", library ? "CUPTI is older than CUDA 12.6" : library.error().message);
    return t.file.flush();
  }
  t.api.callbacks(&give_buffer, &take_buffer);
  t.api.flush_period(kFlushMilliseconds);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                          CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (const auto code = t.api.enable(kind); code != CUPTI_SUCCESS)
      t.file.line("x cuptiActivityEnable({}) failed with CUPTI error {}", static_cast<int>(kind),
                  static_cast<int>(code));
  }
  enable_calls(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE, t.api.enable_runtime,
               t.runtime);
  enable_calls(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE, t.api.enable_driver,
               t.driver);
  t.file.flush();
  std::atexit(&finish);
}

}  // namespace kp::inject
