// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/inject/replay.h"

#include <cupti.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

#include "device/cuda/inject/record_file.h"
#include "device/cuda/worker/counters_api.h"
#include "device/cuda/worker/counters_range.h"

namespace kp::inject {
namespace {

using device::cuda::CounterPlan;
using device::cuda::CounterRange;
using device::cuda::resolve;

// Code of a larger module takes a disassembler minutes.
constexpr std::size_t kLargestModule = 16u << 20;  // bytes
constexpr int kMostModules = 16;

struct Shape {
  std::array<unsigned, 3> grid{}, block{};
  auto operator<=>(const Shape&) const = default;
};

/// A launch that is to be counted: the `index`-th of a kernel with this shape.
struct Wanted {
  int number = 0;  // in the request
  std::int64_t index = 0, seen = 0;
};

/// Never destroyed: callbacks may come until the process is gone.
struct Counting {
  RecordFile file;
  std::string folder;
  std::vector<std::string> metrics;
  std::map<std::pair<std::string, Shape>, Wanted> wanted;
  std::map<void*, std::unique_ptr<CounterPlan>> plans;  // by context
  std::mutex mutex;                                     // held while a launch is counted
  std::unique_ptr<CounterRange> open;                   // the launch that is being counted
  int number = -1;
  bool given_up = false;
};
Counting& counting() {
  static auto* only = new Counting;
  return *only;
}

bool read_request(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    char letter = 0;
    words >> letter;
    if (letter == 'm') {
      words >> counting().metrics.emplace_back();
    } else if (letter == 'k') {
      Shape shape;
      Wanted wanted{.number = static_cast<int>(counting().wanted.size())};
      std::string name;
      words >> wanted.index;
      for (unsigned& side : shape.grid) words >> side;
      for (unsigned& side : shape.block) words >> side;
      words >> name;
      counting().wanted.try_emplace({name, shape}, wanted);
    }
  }
  return !counting().wanted.empty();
}

void complain(const Error& error) {
  counting().file.line("x {}", error.message);
  counting().file.flush();
}

/// The driver that the program already has.
void* driver() {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library;
}

/// Device number of the current context.
int current_device() {
  int device = 0;
  int (*ask)(int*) = nullptr;
  if (resolve(driver(), "cuCtxGetDevice", ask)) ask(&device);
  return device;
}

Result<const CounterPlan*> plan_for(void* context) {
  std::unique_ptr<CounterPlan>& plan = counting().plans[context];
  if (!plan) {
    KP_TRY(auto chip, device::cuda::counter_chip(current_device()));
    KP_TRY(chip.availability, device::cuda::counter_availability(context));
    KP_TRY(plan, CounterPlan::make(chip, counting().metrics));
  }
  return plan.get();
}

Result<void> begin(void* context, int number) {
  KP_TRY(const CounterPlan* plan, plan_for(context));
  KP_TRY(counting().open, CounterRange::enable(context));
  KP_TRY_VOID(counting().open->configure(*plan, 1, CounterRange::Replay::kByCupti));
  KP_TRY_VOID(counting().open->start());
  counting().number = number;
  return {};
}

Result<void> end() {
  KP_TRY_VOID(counting().open->stop());
  KP_TRY(const auto kernels, counting().open->evaluate());
  if (kernels.empty()) return {};
  counting().file.line("k {}", counting().number);
  for (const auto& [name, value] : kernels.front())
    counting().file.line("v {} {:.17g}", name, value);
  counting().file.flush();
  return {};
}

template <class Parameters>
Shape shape_of(const Parameters& at) {
  return {{at.gridDimX, at.gridDimY, at.gridDimZ}, {at.blockDimX, at.blockDimY, at.blockDimZ}};
}

struct Launch {
  Shape shape;
  CUstream stream = nullptr;
};

Launch launch_of(CUpti_CallbackId call, const void* parameters) {
  switch (call) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& config = *static_cast<const cuLaunchKernelEx_params*>(parameters)->config;
      return {shape_of(config), config.hStream};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& launch = *static_cast<const cuLaunchCooperativeKernel_params*>(parameters);
      return {shape_of(launch), launch.hStream};
    }
    default: {
      const auto& launch = *static_cast<const cuLaunchKernel_params*>(parameters);
      return {shape_of(launch), launch.hStream};
    }
  }
}

/// A launch that a graph is being made of does not run now.
bool is_captured(CUstream stream) {
  int (*ask)(CUstream, int*) = nullptr;
  int status = 0;
  return resolve(driver(), "cuStreamIsCapturing", ask) && ask(stream, &status) == 0 && status != 0;
}

void enter(CUpti_CallbackId call, const CUpti_CallbackData& at) {
  Counting& c = counting();
  if (c.given_up || at.symbolName == nullptr || c.open) return;
  const Launch launch = launch_of(call, at.functionParams);
  const auto found = c.wanted.find({at.symbolName, launch.shape});
  if (found == c.wanted.end() || is_captured(launch.stream)) return;
  if (found->second.seen++ != found->second.index) return;
  if (auto begun = begin(at.context, found->second.number); !begun) {
    c.open.reset();
    c.given_up = true;
    complain(begun.error());
  }
}

void leave() {
  Counting& c = counting();
  if (!c.open) return;
  if (auto ended = end(); !ended) complain(ended.error());
  c.open.reset();
}

/// Whether one of the kernels that are asked for may be in the machine code: by its name alone.
bool holds_wanted(std::string_view code) {
  return std::ranges::any_of(counting().wanted, [code](const auto& one) {
    return code.find(one.first.first) != std::string_view::npos;
  });
}

/// Keeps the machine code of the kernels that are asked for, for a disassembler.
void on_module(const CUpti_ResourceData& at) {
  static std::atomic<int> written{0};
  const auto* module = static_cast<const CUpti_ModuleResourceData*>(at.resourceDescriptor);
  if (module == nullptr || module->pCubin == nullptr || module->cubinSize > kLargestModule) return;
  const std::string_view code(module->pCubin, module->cubinSize);
  if (!holds_wanted(code)) return;
  const int number = written++;
  if (number >= kMostModules) return;
  std::ofstream file(fmt::format("{}/module.{}.{}", counting().folder, ::getpid(), number),
                     std::ios::binary);
  file.write(code.data(), static_cast<std::streamsize>(code.size()));
}

// From entering a launch to leaving it no other thread may launch into the range. What CUPTI itself
// launches meanwhile is none of the program's.
void CUPTIAPI on_launch(void*, CUpti_CallbackDomain domain, CUpti_CallbackId call,
                        const void* data) {
  thread_local int depth = 0;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return on_module(*static_cast<const CUpti_ResourceData*>(data));
  const auto& at = *static_cast<const CUpti_CallbackData*>(data);
  if (at.callbackSite == CUPTI_API_ENTER) {
    if (depth++ > 0) return;
    counting().mutex.lock();
    enter(call, at);
  } else {
    if (--depth > 0) return;
    leave();
    counting().mutex.unlock();
  }
}

Result<void> subscribe() {
  KP_TRY(void* library, device::cuda::cupti_library());
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable = nullptr;
  if (!resolve(library, "cuptiSubscribe", subscribe) ||
      !resolve(library, "cuptiEnableCallback", enable))
    return fail(ErrorCode::kUnavailable, "CUPTI has no callbacks");
  CUpti_SubscriberHandle subscriber = nullptr;
  if (const auto code = subscribe(&subscriber, &on_launch, nullptr); code != CUPTI_SUCCESS)
    return device::cuda::counter_fault(code, "cuptiSubscribe");
  for (const auto call :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz}) {
    if (const auto code = enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call);
        code != CUPTI_SUCCESS)
      return device::cuda::counter_fault(code, "cuptiEnableCallback");
  }
  // Counters do without the machine code: not being told of modules is no reason to give up.
  enable(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
  return {};
}

}  // namespace

void start_replay(const std::string& folder) {
  if (!read_request(folder + "/request")) return;
  if (!counting().file.open(folder, "counts")) return;
  counting().folder = folder;
  counting().file.line("kernelpro-counts 1");
  if (auto subscribed = subscribe(); !subscribed) complain(subscribed.error());
  counting().file.flush();
}

}  // namespace kp::inject
