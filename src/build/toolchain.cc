// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/child.h"
#include "base/text.h"
#include "build/toolchain_roots.h"

namespace kp::build {
namespace {

constexpr int kOldest = 12040;  // CUDA_VERSION of 12.4
constexpr std::uint64_t kHeaderBytes = 16ull << 20;

bool is_there(const Path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

/// The program `name` in PATH with symbolic links resolved, or empty.
Path find_in_path(const std::string& name) {
  std::error_code error;
  const auto found = find_program(name);
  return found ? std::filesystem::canonical(*found, error) : Path();
}

/// CUDA_VERSION in cuda.h (13000 for 13.0), 0 when there is none.
int header_version(const Path& include) {
  const auto text = read_file(include / "cuda.h", kHeaderBytes);
  if (!text) return 0;
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  const std::size_t at = text->find(kDefine);
  return at == std::string::npos ? 0 : std::atoi(text->c_str() + at + kDefine.size());
}

/// libnvrtc.so.N, the newest; not the builtins and not the alternative build.
Path find_nvrtc(const Path& root) {
  return find_library(root, {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"},
                      "libnvrtc.so");
}

/// A usable toolchain at `root`, or why it is none.
tl::expected<Toolchain, std::string> toolchain_at(const Path& root) {
  if (!is_there(root)) return tl::unexpected<std::string>("no such folder");
  Toolchain found{.root = root, .include = root / "include"};
  const int version = header_version(found.include);
  if (version == 0) return tl::unexpected<std::string>("no include/cuda.h");
  found.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  if (version < kOldest)
    return tl::unexpected<std::string>(fmt::format("CUDA {} is older than 12.4", found.version));
  found.nvrtc = find_nvrtc(root);
  if (found.nvrtc.empty()) return tl::unexpected<std::string>("no libnvrtc.so");
  if (is_there(root / "bin/nvcc")) found.nvcc = root / "bin/nvcc";
  return found;
}

Path find_host_compiler() {
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (Path path = find_in_path(name); !path.empty()) return path;
  }
  return {};
}

}  // namespace

std::vector<Path> toolkit_roots() {
  std::vector<Path> roots;
  const auto add = [&](const Path& root) {
    if (!root.empty() && std::find(roots.begin(), roots.end(), root) == roots.end())
      roots.push_back(root);
  };
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr) add(value);
  }
  if (const Path nvcc = find_in_path("nvcc"); !nvcc.empty()) add(nvcc.parent_path().parent_path());
  add("/usr/local/cuda");
  std::error_code error;
  std::vector<Path> versioned;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda-")) versioned.push_back(entry.path());
  }
  std::sort(versioned.rbegin(), versioned.rend());
  for (const Path& root : versioned) add(root);
  add("/opt/cuda");
  return roots;
}

Path find_library(const Path& root, std::initializer_list<const char*> folders,
                  std::string_view prefix) {
  std::vector<Path> found;
  for (const char* folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(root / folder, error)) {
      if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
    }
    if (!found.empty()) break;
  }
  return found.empty() ? Path() : *std::max_element(found.begin(), found.end());
}

Result<Toolchain> find_toolchain() {
  std::vector<std::string> tried;
  for (const Path& root : toolkit_roots()) {
    auto found = toolchain_at(root);
    if (found) {
      found->host_compiler = find_host_compiler();
      return *std::move(found);
    }
    tried.push_back(fmt::format("{} ({})", root.string(), found.error()));
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("no CUDA toolkit 12.4 or later; looked at {}", join(tried, ", ")),
              "install the CUDA toolkit (NVIDIA's packages cuda-nvrtc-13-0, cuda-nvcc-13-0, "
              "cuda-cudart-dev-13-0 and cuda-cccl-13-0), or set CUDA_HOME to where it is");
}

std::string describe(const Toolchain& toolchain) {
  return fmt::format("NVRTC {} ({}){}", toolchain.version, toolchain.root.string(),
                     toolchain.nvcc.empty() ? ", no nvcc" : "");
}

}  // namespace kp::build
