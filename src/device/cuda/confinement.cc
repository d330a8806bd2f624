// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/confinement.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"
#include "build/sandbox.h"

namespace kp::device::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string_view name_of(Confinement confinement) {
  switch (confinement) {
    case Confinement::kFull:
      return "full";
    case Confinement::kLandlock:
      return "landlock";
    case Confinement::kMinimal:
      break;
  }
  return "minimal";
}

std::vector<Path> gpu_nodes() {
  std::vector<Path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("nvidia")) paths.push_back(entry.path());
  }
  return paths;
}

std::vector<Path> library_folders() {
  std::vector<Path> folders;
  const std::string list = variable("LD_LIBRARY_PATH");
  for (const std::string_view folder : split(list, ':')) {
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

/// What could load code into the process (LD_PRELOAD, CUDA_INJECTION64_PATH) is left out by naming
/// what stays.
std::vector<std::string> worker_environment() {
  std::vector<std::string> kept{"CUDA_MODULE_LOADING=EAGER", "CUDA_CACHE_DISABLE=1",
                                "CUDA_DEVICE_ORDER=PCI_BUS_ID", "LC_ALL=C"};
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
    if (std::getenv(name) != nullptr) kept.push_back(fmt::format("{}={}", name, variable(name)));
  }
  return kept;
}

Result<Confinement> strongest_confinement() {
  const std::string wanted = variable("KERNELPRO_SANDBOX");
  if (wanted.empty()) return Confinement::kFull;
  for (const Confinement level :
       {Confinement::kFull, Confinement::kLandlock, Confinement::kMinimal}) {
    if (wanted == name_of(level)) return level;
  }
  return fail(ErrorCode::kInvalidInput,
              fmt::format("KERNELPRO_SANDBOX is `{}`, which is no confinement", wanted),
              "use full, landlock or minimal, or unset it");
}

ChildSpec confined_worker(std::vector<std::string> command, Confinement confinement) {
  ChildSpec child{.folder = "/", .environment = worker_environment()};
  if (confinement == Confinement::kFull) {
    build::Jail jail{.folder = {}, .readable = library_folders(), .devices = gpu_nodes()};
    jail.readable.push_back(Path(command.front()).parent_path());
    jail.readable.emplace_back("/sys");  // without it cuInit fails with 304
    child.command = build::jail_command(jail);
  }
  child.command.insert(child.command.end(), command.begin(), command.end());
  return child;
}

}  // namespace kp::device::cuda
