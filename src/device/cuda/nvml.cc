// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/file.h"
#include "base/text.h"

namespace kp::device::cuda {
namespace {

using Handle = void*;

// nvml.h; its first members are stable
constexpr int kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0, kInsufficientSize = 7;
constexpr unsigned kMostProcesses = 256;

/// Parents of a process up to init; empty when it is not in our view of the system.
bool descends_from_us(unsigned pid) {
  const unsigned own = static_cast<unsigned>(::getpid());
  constexpr int kDeepest = 64;
  for (int depth = 0; depth < kDeepest && pid > 1; ++depth) {
    if (pid == own) return true;
    const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
    const std::size_t name_end = stat ? stat->rfind(')') : std::string::npos;
    if (name_end == std::string::npos) return false;
    const auto fields = split(trim(std::string_view(*stat).substr(name_end + 1)), ' ');
    const auto parent = fields.size() > 1 ? parse_integer(fields[1]) : std::nullopt;
    pid = parent ? static_cast<unsigned>(*parent) : 0;
  }
  return false;
}

bool in_our_view(unsigned pid) { return ::access(fmt::format("/proc/{}", pid).c_str(), F_OK) == 0; }

}  // namespace

struct Nvml::Library {
  struct ComputeProcess {
    unsigned pid = 0;
    unsigned long long memory = 0;
    unsigned gpu_instance = 0, compute_instance = 0;
  };
  void* file = nullptr;
  Handle gpu = nullptr;
  int (*init)() = nullptr;
  int (*by_uuid)(const char*, Handle*) = nullptr;
  int (*by_index)(unsigned, Handle*) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*power)(Handle, unsigned*) = nullptr;
  int (*temperature)(Handle, int, unsigned*) = nullptr;
  int (*energy)(Handle, unsigned long long*) = nullptr;
  int (*reasons)(Handle, unsigned long long*) = nullptr;
  int (*processes)(Handle, unsigned*, ComputeProcess*) = nullptr;
  int (*capability)(Handle, int*, int*) = nullptr;

  template <class Function>
  void find(Function& function, std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (function == nullptr) function = reinterpret_cast<Function>(::dlsym(file, name));
    }
  }

  bool open() {
    file = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (file == nullptr) return false;
    find(init, {"nvmlInit_v2"});
    find(by_uuid, {"nvmlDeviceGetHandleByUUID"});
    find(by_index, {"nvmlDeviceGetHandleByIndex_v2"});
    find(clock, {"nvmlDeviceGetClockInfo"});
    find(power, {"nvmlDeviceGetPowerUsage"});
    find(temperature, {"nvmlDeviceGetTemperature"});
    find(energy, {"nvmlDeviceGetTotalEnergyConsumption"});
    find(reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    find(processes, {"nvmlDeviceGetComputeRunningProcesses_v3"});
    find(capability, {"nvmlDeviceGetCudaComputeCapability"});
    return init != nullptr && init() == 0;
  }

  /// A number that `function` writes, times `unit`.
  template <class Number, class Function, class... Arguments>
  std::optional<double> number(Function function, double unit, Arguments... arguments) const {
    Number value = 0;
    if (gpu == nullptr || function == nullptr || function(gpu, arguments..., &value) != 0)
      return {};
    return static_cast<double>(value) * unit;
  }

  /// Unknown when a process is of another view of the system (a container): it may be ours.
  std::optional<int> others() const {
    std::array<ComputeProcess, kMostProcesses> list{};
    unsigned count = kMostProcesses;
    if (gpu == nullptr || processes == nullptr) return {};
    const int code = processes(gpu, &count, list.data());
    if (code != 0 && code != kInsufficientSize) return {};
    count = std::min(count, kMostProcesses);
    int others = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (!in_our_view(list[i].pid)) return {};
      others += descends_from_us(list[i].pid) ? 0 : 1;
    }
    return others;
  }
};

// The library stays open: closing what has threads of its own is not safe.
Nvml::Nvml() : library_(std::make_unique<Library>()) {
  if (!library_->open()) library_.reset();
}
Nvml::~Nvml() = default;

void Nvml::select(const std::string& uuid, int number) {
  if (!library_) return;
  library_->gpu = nullptr;
  const bool named = uuid.starts_with("GPU-") && library_->by_uuid != nullptr;
  if (named && library_->by_uuid(uuid.c_str(), &library_->gpu) == 0) return;
  library_->gpu = nullptr;
  if (library_->by_index != nullptr &&
      library_->by_index(static_cast<unsigned>(number), &library_->gpu) != 0)
    library_->gpu = nullptr;
}

GpuState Nvml::state() const {
  GpuState state;
  if (!library_) return state;
  const Library& nvml = *library_;
  constexpr double kMega = 1e6, kMilli = 1e-3;
  state.sm_hz = nvml.number<unsigned>(nvml.clock, kMega, kSmClock);
  state.memory_hz = nvml.number<unsigned>(nvml.clock, kMega, kMemoryClock);
  state.watts = nvml.number<unsigned>(nvml.power, kMilli);
  state.celsius = nvml.number<unsigned>(nvml.temperature, 1, kGpuTemperature);
  state.joules = nvml.number<unsigned long long>(nvml.energy, kMilli);
  unsigned long long reasons = 0;
  if (nvml.gpu != nullptr && nvml.reasons != nullptr && nvml.reasons(nvml.gpu, &reasons) == 0)
    state.reasons = reasons;
  state.other_processes = nvml.others();
  return state;
}

std::optional<int> Nvml::capability() const {
  int major = 0, minor = 0;
  const bool known = library_ && library_->gpu != nullptr && library_->capability != nullptr &&
                     library_->capability(library_->gpu, &major, &minor) == 0;
  return known ? std::optional(10 * major + minor) : std::nullopt;
}

}  // namespace kp::device::cuda
