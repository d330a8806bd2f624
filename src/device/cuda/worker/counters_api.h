// SPDX-License-Identifier: Apache-2.0
// CUPTI as far as counters need it, opened when it is first asked for: the program works where
// there is none. A build without CUPTI's headers never has it.
#pragma once
#include <dlfcn.h>

#include "base/result.h"

#if __has_include(<cupti_range_profiler.h>)
#define KP_HAS_CUPTI 1
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#else
#define KP_HAS_CUPTI 0
#endif

namespace kp::device::cuda {

/// False where there is no such library or function; it is null then.
template <class Function>
bool resolve(void* library, const char* name, Function& function) {
  function = library == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

#if KP_HAS_CUPTI
struct CuptiApi {
  decltype(&::cuptiGetResultString) result_string = nullptr;
  decltype(&::cuptiProfilerInitialize) initialize = nullptr;
  decltype(&::cuptiProfilerGetCounterAvailability) availability = nullptr;
  decltype(&::cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&::cuptiProfilerHostInitialize) host_open = nullptr;
  decltype(&::cuptiProfilerHostDeinitialize) host_close = nullptr;
  decltype(&::cuptiProfilerHostGetMetricProperties) metric_properties = nullptr;
  decltype(&::cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImageSize) image_size = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImage) image = nullptr;
  decltype(&::cuptiProfilerHostGetNumOfPasses) passes = nullptr;
  decltype(&::cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&::cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&::cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&::cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&::cuptiRangeProfilerStart) start = nullptr;
  decltype(&::cuptiRangeProfilerStop) stop = nullptr;
  decltype(&::cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&::cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&::cuptiRangeProfilerCounterDataImageInitialize) data_begin = nullptr;
  decltype(&::cuptiRangeProfilerGetCounterDataInfo) data_ranges = nullptr;
};
/// The handle of the library (dlopen). kUnavailable says which package brings it.
Result<void*> cupti_library();
Result<const CuptiApi*> cupti();
#endif

/// What a CUptiResult of `call` means to the user: kUnavailable, with what to do, where the machine
/// forbids or lacks counters; kBusy when somebody else is counting.
tl::unexpected<Error> counter_fault(int code, const char* call);

}  // namespace kp::device::cuda
