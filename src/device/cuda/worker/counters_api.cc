// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace kp::device::cuda {

#if KP_HAS_CUPTI
namespace {

namespace fs = std::filesystem;

/// The newest libcupti.so.N of a folder.
void add_from(const fs::path& folder, std::vector<std::string>& paths) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with("libcupti.so"))
      found.push_back(entry.path().string());
  }
  if (!found.empty()) paths.push_back(*std::max_element(found.begin(), found.end()));
}

std::vector<std::string> candidates() {
  std::vector<std::string> roots, paths;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr) roots.emplace_back(value);
  }
  roots.insert(roots.end(), {"/usr/local/cuda", "/opt/cuda"});
  for (const std::string& root : roots) {
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib",
                               "targets/sbsa-linux/lib"})
      add_from(fs::path(root) / folder, paths);
  }
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"})
    paths.emplace_back(name);
  return paths;
}

bool resolve_host(void* library, CuptiApi& api) {
  return resolve(library, "cuptiGetResultString", api.result_string) &&
         resolve(library, "cuptiProfilerHostInitialize", api.host_open) &&
         resolve(library, "cuptiProfilerHostDeinitialize", api.host_close) &&
         resolve(library, "cuptiProfilerHostGetMetricProperties", api.metric_properties) &&
         resolve(library, "cuptiProfilerHostConfigAddMetrics", api.add_metrics) &&
         resolve(library, "cuptiProfilerHostGetConfigImageSize", api.image_size) &&
         resolve(library, "cuptiProfilerHostGetConfigImage", api.image) &&
         resolve(library, "cuptiProfilerHostGetNumOfPasses", api.passes) &&
         resolve(library, "cuptiProfilerHostEvaluateToGpuValues", api.evaluate);
}

bool resolve_target(void* library, CuptiApi& api) {
  return resolve(library, "cuptiProfilerInitialize", api.initialize) &&
         resolve(library, "cuptiProfilerGetCounterAvailability", api.availability) &&
         resolve(library, "cuptiDeviceGetChipName", api.chip_name) &&
         resolve(library, "cuptiRangeProfilerEnable", api.enable) &&
         resolve(library, "cuptiRangeProfilerDisable", api.disable) &&
         resolve(library, "cuptiRangeProfilerSetConfig", api.set_config) &&
         resolve(library, "cuptiRangeProfilerStart", api.start) &&
         resolve(library, "cuptiRangeProfilerStop", api.stop) &&
         resolve(library, "cuptiRangeProfilerDecodeData", api.decode) &&
         resolve(library, "cuptiRangeProfilerGetCounterDataSize", api.data_size) &&
         resolve(library, "cuptiRangeProfilerCounterDataImageInitialize", api.data_begin) &&
         resolve(library, "cuptiRangeProfilerGetCounterDataInfo", api.data_ranges);
}

tl::unexpected<Error> no_cupti(const std::string& why) {
  return fail(ErrorCode::kUnavailable, fmt::format("CUPTI cannot be used: {}", why),
              "install the package cuda-cupti-13-0, or set CUDA_HOME to a toolkit that has CUPTI");
}

// Never closed: CUPTI keeps threads and hooks in the driver.
Result<void*> open_library() {
  // A program may have one already (PyTorch brings its own), and two do not get on.
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  std::string why = "no libcupti.so was found";
  for (const std::string& path : candidates()) {
    if (void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (const char* text = ::dlerror(); text != nullptr) why = text;
  }
  return no_cupti(why);
}

Result<CuptiApi> resolve_all() {
  KP_TRY(void* library, cupti_library());
  CuptiApi api;
  if (resolve_host(library, api) && resolve_target(library, api)) return api;
  return no_cupti("it is older than CUDA 12.6 and has no range profiler");
}

}  // namespace

Result<void*> cupti_library() {
  static const Result<void*> opened = open_library();
  return opened;
}

Result<const CuptiApi*> cupti() {
  static const Result<CuptiApi> opened = resolve_all();
  if (!opened) return tl::unexpected<Error>(opened.error());
  return &*opened;
}
#endif

namespace {

tl::unexpected<Error> unavailable(const char* message, const char* hint) {
  return fail(ErrorCode::kUnavailable, message, hint);
}

}  // namespace

// Numbers of CUptiResult in cupti_result.h of CUDA 13.0.
tl::unexpected<Error> counter_fault(int code, const char* call) {
  constexpr int kHardwareBusy = 26, kNotSupported = 27, kPrivileges = 35, kLegacyOnly = 38,
                kSubscribed = 39, kVirtual = 40, kConfidential = 41, kMining = 42, kMig = 43;
  switch (code) {
    case kPrivileges:
    case kVirtual:
      return unavailable(
          "this user may not read GPU performance counters",
          "let an administrator set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module (a "
          "file in /etc/modprobe.d, then reload it), or run as root");
    case kHardwareBusy:
    case kSubscribed:
      return fail(ErrorCode::kBusy, "another profiler holds the GPU's performance counters",
                  "end it (ncu, nsys, DCGM: `dcgmi profile --pause`), then try again");
    case kNotSupported:
    case kLegacyOnly:
    case kMining:
      return unavailable("CUPTI's range profiler does not know this GPU",
                         "counters need compute capability 7.5 or later");
    case kConfidential:
    case kMig:
      return unavailable("counters are switched off while MIG or confidential computing is on",
                         "profile on a GPU without MIG and confidential computing");
    default:
      return unavailable(fmt::format("{} failed with CUPTI error {}", call, code).c_str(),
                         "see whether `ncu` works on this machine");
  }
}

}  // namespace kp::device::cuda
