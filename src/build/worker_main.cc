// SPDX-License-Identifier: Apache-2.0
// kernelpro-compile LIBNVRTC NAME OPTIONS...: compiles source.cu of the working folder under the
// name NAME and leaves kernel.ptx, kernel.cubin and log.txt there. A process of its own, because
// NVRTC can hang, crash or take all memory on hostile source. Exit status: 0 compiled, 1 refused
// (see log.txt), 2 no NVRTC.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "build/device_headers.h"

namespace {

using Program = struct OpaqueProgram*;

// Its builtins library is missing: the machine is at fault, not the source.
constexpr int kBuiltinOperationFailure = 7;

// NVRTC's C interface, as far as it is used; stable since CUDA 11.
struct Nvrtc {
  int (*create)(Program*, const char* source, const char* name, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(Program, int count, const char* const* options) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
};

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// NVRTC opens its builtins by bare name, which fails where ldconfig does not know CUDA's folder; a
/// library that is loaded already is found by its name wherever it lies.
void load_builtins(const std::filesystem::path& nvrtc) {
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(nvrtc.parent_path(), unreadable)) {
    if (entry.path().filename().string().starts_with("libnvrtc-builtins.so.")) {
      dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
    }
  }
}

bool open(const char* path, Nvrtc& nvrtc) {
  load_builtins(path);
  void* library = dlopen(path, RTLD_NOW);
  return library != nullptr && load(library, "nvrtcCreateProgram", nvrtc.create) &&
         load(library, "nvrtcCompileProgram", nvrtc.compile) &&
         load(library, "nvrtcGetProgramLogSize", nvrtc.log_size) &&
         load(library, "nvrtcGetProgramLog", nvrtc.log) &&
         load(library, "nvrtcGetPTXSize", nvrtc.ptx_size) &&
         load(library, "nvrtcGetPTX", nvrtc.ptx) &&
         load(library, "nvrtcGetCUBINSize", nvrtc.cubin_size) &&
         load(library, "nvrtcGetCUBIN", nvrtc.cubin);
}

using SizeOf = int (*)(Program, std::size_t*);
using Read = int (*)(Program, char*);

std::string fetch(Program program, SizeOf size_of, Read read) {
  std::size_t bytes = 0;
  if (size_of(program, &bytes) != 0) return {};
  std::string text(bytes, '\0');
  return bytes != 0 && read(program, text.data()) == 0 ? text : std::string();
}

// The log and the PTX end with a zero byte that belongs to the interface.
std::string without_zero(std::string text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

bool save(const char* name, const std::string& bytes) {
  std::ofstream file(name, std::ios::binary);
  return static_cast<bool>(file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())));
}

int compile(const Nvrtc& nvrtc, const char* name, const std::vector<const char*>& options) {
  std::stringstream source;
  source << std::ifstream("source.cu", std::ios::binary).rdbuf();
  const std::string text = source.str();
  std::vector<const char*> names, texts;
  for (const kp::build::DeviceHeader& header : kp::build::kDeviceHeaders) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  Program program = nullptr;
  const int headers = static_cast<int>(names.size());
  if (nvrtc.create(&program, text.c_str(), name, headers, texts.data(), names.data()) != 0)
    return 2;
  const int status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
  if (status == kBuiltinOperationFailure) {
    std::fprintf(stderr, "%s\n", without_zero(fetch(program, nvrtc.log_size, nvrtc.log)).c_str());
    return 2;
  }
  const bool saved =
      save("log.txt", without_zero(fetch(program, nvrtc.log_size, nvrtc.log))) &&
      (status != 0 ||
       (save("kernel.ptx", without_zero(fetch(program, nvrtc.ptx_size, nvrtc.ptx))) &&
        save("kernel.cubin", fetch(program, nvrtc.cubin_size, nvrtc.cubin))));
  return saved ? (status == 0 ? 0 : 1) : 2;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  Nvrtc nvrtc;
  if (!open(arguments[1], nvrtc)) {
    const char* reason = dlerror();
    std::fprintf(stderr, "%s\n", reason != nullptr ? reason : "the library lacks a function");
    return 2;
  }
  return compile(nvrtc, arguments[2], {arguments + 3, arguments + count});
}
