// SPDX-License-Identifier: Apache-2.0
#include "torch/python.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "model/device_spec.h"

namespace kp::torch {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLooking{20'000};  // to look for PyTorch takes 50 ms; on a cold disk longer
constexpr std::uint64_t kFileBytes = 1ull << 42;  // shared arrays count as files
constexpr const char* kHasPyTorch =
    "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('torch') else 3)";

/// What PyTorch, Triton and the CUDA libraries look at. Keys of language models are not among them.
constexpr std::array kVariables = {"HOME",
                                   "USER",
                                   "TMPDIR",
                                   "XDG_CACHE_HOME",
                                   "LANG",
                                   "LD_LIBRARY_PATH",
                                   "CUDA_HOME",
                                   "CUDA_PATH",
                                   "CUDA_VISIBLE_DEVICES",
                                   "CUDA_DEVICE_ORDER",
                                   "CUDA_CACHE_PATH",
                                   "OMP_NUM_THREADS",
                                   "MKL_NUM_THREADS",
                                   "CC",
                                   "CXX",
                                   "TRITON_CACHE_DIR",
                                   "TORCHINDUCTOR_CACHE_DIR"};

std::vector<std::string> environment() {
  std::vector<std::string> kept;
  for (const char* name : kVariables) {
    if (const char* value = std::getenv(name)) kept.push_back(fmt::format("{}={}", name, value));
  }
  return kept;
}

bool has_pytorch(const std::string& python) {
  const auto exit = run_child({.command = {python, "-I", "-c", kHasPyTorch},
                               .environment = environment(),
                               .deadline = kLooking});
  return exit && exit->ok();
}

/// All memory of the machine: a model that wants more gets an error instead of the whole machine.
std::uint64_t memory_limit(const std::string& device) {
  if (device != "cpu") return 0;
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string how_to_get_pytorch() {
  return "Debian: apt-get install python3-torch; elsewhere: pip install torch, and set "
         "KERNELPRO_PYTHON to the python of that environment";
}

Result<std::string> find_python(const std::string& wanted) {
  const char* variable = std::getenv("KERNELPRO_PYTHON");
  const std::string named = !wanted.empty() ? wanted : variable != nullptr ? variable : "";
  if (!named.empty()) {
    if (auto found = find_program(named)) return found->string();
    return fail(ErrorCode::kUnavailable, fmt::format("no program {}", named),
                wanted.empty() ? "set KERNELPRO_PYTHON to a Python that has PyTorch"
                               : "name a Python that has PyTorch");
  }
  for (const std::string candidate : {"python3", "/usr/bin/python3"}) {
    const auto found = find_program(candidate);
    if (found && has_pytorch(found->string())) return found->string();
  }
  return fail(ErrorCode::kUnavailable, "no Python with PyTorch was found", how_to_get_pytorch());
}

Result<ChildSpec> worker_command(const std::string& python, const WorkerOptions& options) {
  KP_TRY(const Path home, installation_folder());
  const Path folder = home / "share" / "torch" / "kernelpro_torch";
  std::error_code code;
  if (!std::filesystem::exists(folder / "__main__.py", code)) {
    return fail(ErrorCode::kUnavailable, fmt::format("{} is missing", folder.string()),
                "install KernelPro with its folder share/");
  }
  return ChildSpec{.command = {python, "-I", "-B", folder.string()},
                   .environment = environment(),
                   .memory_bytes = memory_limit(options.device),
                   .file_bytes = kFileBytes};
}

}  // namespace kp::torch
