// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

namespace kp::device::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

/// Drivers before 12.8 have no second version of this function; both take the same arguments.
const char* older_name(std::string_view name) {
  return name == "cuEventElapsedTime_v2" ? "cuEventElapsedTime" : nullptr;
}

void* symbol_of(void* library, const char* name) {
  void* symbol = ::dlsym(library, name);
  const char* older = older_name(name);
  return symbol == nullptr && older != nullptr ? ::dlsym(library, older) : symbol;
}

/// Remembers the first function that is missing.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find_later(const char* name, Function& function) const {
    function = reinterpret_cast<Function>(symbol_of(library_, name));
  }
  template <class Function>
  void find(const char* name, Function& function) {
    find_later(name, function);
    if (function == nullptr && missing_ == nullptr) missing_ = name;
  }
  const char* missing() const { return missing_; }

 private:
  void* library_;
  const char* missing_ = nullptr;
};

}  // namespace

Result<Driver> open_driver() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("no CUDA driver on this machine: {} cannot be opened", kLibrary),
                "install the NVIDIA driver");
  }
  Driver driver;
  Symbols symbols(library);
// Twice, so that a function that <cuda.h> maps to a version is looked up under the mapped name.
#define KP_CUDA_TEXT(text) #text
#define KP_CUDA_FIND(function) symbols.find(KP_CUDA_TEXT(function), driver.function);
#define KP_CUDA_FIND_LATER(function) symbols.find_later(KP_CUDA_TEXT(function), driver.function);
  KP_CUDA_FUNCTIONS(KP_CUDA_FIND)
  KP_CUDA_LATER_FUNCTIONS(KP_CUDA_FIND_LATER)
#undef KP_CUDA_FIND_LATER
#undef KP_CUDA_FIND
#undef KP_CUDA_TEXT
  if (symbols.missing() == nullptr) return driver;
  return fail(ErrorCode::kUnavailable,
              fmt::format("the CUDA driver ({}) has no {}", kLibrary, symbols.missing()),
              "update the NVIDIA driver to the version that belongs to the CUDA toolkit");
}

std::string name_of(const Driver& driver, CUresult code) {
  const char* name = nullptr;
  if (driver.cuGetErrorName(code, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return fmt::format("CUDA error {}", static_cast<int>(code));
}

}  // namespace kp::device::cuda
