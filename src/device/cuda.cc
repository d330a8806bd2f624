// SPDX-License-Identifier: Apache-2.0
#include "device/cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>

namespace kp::device {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

using Library = std::unique_ptr<void, int (*)(void*)>;

/// The driver's C functions; 0 is success.
struct Driver {
  int (*init)(unsigned flags) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device_name)(char* name, int bytes, int device) = nullptr;
};

template <class Function>
bool resolve(const Library& library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library.get(), name));
  return function != nullptr;
}

tl::unexpected<Error> unavailable(std::string message, std::string hint) {
  return fail(ErrorCode::kUnavailable, std::move(message), std::move(hint));
}

Result<Driver> resolve_driver(const Library& library) {
  Driver driver;
  const bool complete = resolve(library, "cuInit", driver.init) &&
                        resolve(library, "cuDeviceGetCount", driver.device_count) &&
                        resolve(library, "cuDeviceGetName", driver.device_name);
  if (complete) return driver;
  return unavailable(fmt::format("{} is not a CUDA driver library", kLibrary),
                     "reinstall the NVIDIA driver");
}

Result<std::vector<std::string>> names_of(const Driver& driver) {
  int count = 0;
  if (const int code = driver.device_count(&count); code != 0) {
    return unavailable(fmt::format("cuDeviceGetCount failed with CUDA error {}", code),
                       "run nvidia-smi to see whether the driver works");
  }
  std::vector<std::string> names;
  for (int device = 0; device < count; ++device) {
    std::array<char, 256> name{};
    const int code = driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
    names.emplace_back(code == 0 ? name.data() : "unknown GPU");
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> cuda_devices() {
  // Closing a library that has started the driver is not safe, so it stays open after cuInit.
  Library library(::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL), &::dlclose);
  if (!library) {
    return unavailable(fmt::format("no CUDA driver on this machine: {} cannot be opened", kLibrary),
                       "install the NVIDIA driver");
  }
  KP_TRY(const Driver driver, resolve_driver(library));
  const int code = driver.init(0);
  static_cast<void>(library.release());
  if (code != 0) {
    return unavailable(
        fmt::format("the CUDA driver does not start: cuInit failed with CUDA error {}", code),
        "run nvidia-smi to see whether the driver works");
  }
  return names_of(driver);
}

}  // namespace kp::device
