// SPDX-License-Identifier: Apache-2.0
#include "device/cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "assets/worker_disturbances.h"
#include "assets/worker_kernels.h"
#include "base/text.h"
#include "build/build_cache.h"
#include "device/cuda/driver.h"
#include "device/cuda/gpu_device.h"

namespace kp::device {
namespace {

constexpr const char* kHint = "run nvidia-smi to see whether the driver works";

Result<void> succeeded(CUresult code, std::string_view function) {
  if (code == CUDA_SUCCESS) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("the CUDA driver does not work: {} failed with CUDA error {}", function,
                          static_cast<int>(code)),
              kHint);
}

Result<cuda::Driver> started_driver() {
  KP_TRY(const cuda::Driver driver, cuda::open_driver());
  KP_TRY_VOID(succeeded(driver.cuInit(0), "cuInit"));
  return driver;
}

/// The driver's answer; used where NVML has none, since starting the driver takes 0.1 s.
Result<int> capability_by_driver(int gpu) {
  KP_TRY(const cuda::Driver driver, started_driver());
  CUdevice device = 0;
  int major = 0, minor = 0;
  KP_TRY_VOID(succeeded(driver.cuDeviceGet(&device, gpu), "cuDeviceGet"));
  for (auto [attribute, value] : {std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
                                  std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor}})
    KP_TRY_VOID(
        succeeded(driver.cuDeviceGetAttribute(value, attribute, device), "cuDeviceGetAttribute"));
  return 10 * major + minor;
}

Result<int> capability_of(int gpu) {
  const bool renumbered = std::getenv("CUDA_VISIBLE_DEVICES") != nullptr;
  if (!renumbered) {
    cuda::Nvml nvml;
    nvml.select("", gpu);
    if (const auto known = nvml.capability()) return *known;
  }
  return capability_by_driver(gpu);
}

/// Our own kernels, compiled for this GPU once.
Result<std::string> worker_kernels(int capability) {
  KP_TRY(const build::Toolchain toolchain, build::find_toolchain());
  const std::string source =
      std::string(assets::worker_kernels) + std::string(assets::worker_disturbances);
  const build::CompileRequest request{.source = source,
                                      .name = "kernels.cu",
                                      .architecture = fmt::format("sm_{}", capability),
                                      .defines = {},
                                      .include_roots = {}};
  KP_TRY(auto outcome,
         build::compile_cached(request, toolchain, build::BuildCache(cache_folder() / "build")));
  const auto* compiled = std::get_if<build::Compiled>(&outcome);
  if (compiled != nullptr && compiled->ok) return compiled->cubin;
  return fail(ErrorCode::kUnavailable,
              fmt::format("{} cannot compile for sm_{}: {}", build::describe(toolchain), capability,
                          compiled != nullptr ? trim(compiled->log) : "it takes too long"),
              "install a CUDA toolkit that knows this GPU");
}

Result<int> number_of(const std::string& which) {
  if (which.empty()) return 0;
  const auto number = parse_integer(which);
  constexpr int kMostGpus = 64;
  if (number && *number >= 0 && *number < kMostGpus) return static_cast<int>(*number);
  return fail(ErrorCode::kNotFound, fmt::format("there is no device `cuda:{}`", which),
              "a CUDA device is cuda or cuda:N with its number");
}

}  // namespace

Result<std::vector<std::string>> cuda_devices() {
  KP_TRY(const cuda::Driver driver, started_driver());
  int count = 0;
  KP_TRY_VOID(succeeded(driver.cuDeviceGetCount(&count), "cuDeviceGetCount"));
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    std::array<char, 256> name{};
    const CUresult code =
        driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
    names.emplace_back(code == CUDA_SUCCESS ? name.data() : "unknown GPU");
  }
  return names;
}

bool has_cuda_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  ::dlclose(library);
  return true;
}

Result<std::unique_ptr<Device>> open_cuda(const std::string& which, const StopFlag* stop) {
  KP_TRY(const int gpu, number_of(which));
  KP_TRY(const Path program, find_own_program("kernelpro-gpu", "device/cuda/worker"));
  KP_TRY(const int capability, capability_of(gpu));
  KP_TRY(std::string kernels, worker_kernels(capability));
  KP_TRY(const cuda::Confinement strongest, cuda::strongest_confinement());
  return cuda::GpuDevice::open({.program = program,
                                .gpu = gpu,
                                .kernels = std::move(kernels),
                                .confinement = strongest,
                                .sanitizer = build::find_inspection_tools().compute_sanitizer,
                                .stop = stop});
}

}  // namespace kp::device
