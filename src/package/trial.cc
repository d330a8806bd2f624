// SPDX-License-Identifier: Apache-2.0
#include "package/trial.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/child.h"
#include "base/text.h"
#include "build/sandbox.h"
#include "build/toolchain.h"
#include "device/cuda/confinement.h"

namespace kp::package {
namespace {

constexpr std::chrono::minutes kLongest{8};  // of a compilation or a test
constexpr int kNoDevice = 77;                // exit status of a test that found no GPU
constexpr std::size_t kTold = 2000;          // bytes of a log, the last ones

std::string tail_of(const ChildExit& exit) {
  const std::string all = exit.output + exit.error_output;
  return all.size() > kTold ? all.substr(all.size() - kTold) : all;
}

std::string outcome_of(const ChildExit& exit) {
  if (exit.timed_out) return fmt::format("did not end within {} min", kLongest.count());
  return exit.signal != 0 ? fmt::format("ended by signal {}", exit.signal)
                          : fmt::format("exit status {}", exit.code);
}

class Trying {
 public:
  Trying(const TrialRequest& request, Path folder)
      : request_(request), folder_(std::move(folder)) {}

  Result<TrialResult> run() {
    const auto toolchain = build::find_toolchain();
    if (!toolchain || toolchain->nvcc.empty()) {
      result_.compiled = "not compiled here: no nvcc";
      result_.test = "not run here: no nvcc";
      return result_;
    }
    KP_TRY_VOID(compile(*toolchain));
    if (!result_.good) {
      result_.test = "not run: it does not compile";
    } else if (request_.gpu.empty()) {
      result_.test = "not run here: no device";
    } else if (!build::sandbox_works() && !request_.unconfined) {
      result_.test = "not run here: no sandbox to run it in (--unconfined runs it without)";
    } else {
      KP_TRY_VOID(test(*toolchain));
    }
    return result_;
  }

 private:
  bool is_torch() const { return request_.form == "torch"; }

  Result<void> compile(const build::Toolchain& toolchain) {
    const std::string architecture = request_.delivery.architecture;
    // Spelled out: -arch=sm_90a of nvcc 13 would also compile for plain compute_90.
    const std::string number = architecture.substr(std::string_view("sm_").size());
    ChildSpec child{.command = {toolchain.nvcc.string(), "-std=c++17", "-O2",
                                "-gencode=arch=compute_" + number + ",code=" + architecture},
                    .deadline = kLongest};
    if (is_torch()) child.command.insert(child.command.end(), {"-shared", "-Xcompiler", "-fPIC"});
    for (const File& file : request_.files) {
      if (file.name.ends_with(".cu") || file.name.ends_with(".cc"))
        child.command.push_back(file.name);
    }
    child.command.insert(child.command.end(), {"-o", "exported"});
    const build::Jail jail{.folder = folder_,
                           .readable = {toolchain.root, toolchain.nvcc.parent_path()},
                           .devices = {}};
    KP_TRY(const ChildExit exit, run_child(build::confined(std::move(child), jail)));
    if (exit.ok()) {
      result_.compiled = fmt::format("by nvcc {} for {}", toolchain.version, architecture);
      return {};
    }
    result_.good = false;
    result_.compiled = fmt::format("FAILS with nvcc {}: {}", toolchain.version, outcome_of(exit));
    result_.log = tail_of(exit);
    return {};
  }

  Result<void> test(const build::Toolchain& toolchain) {
    ChildSpec child{.command = {(folder_ / "exported").string()}, .deadline = kLongest};
    build::Jail jail{.folder = folder_,
                     .readable = device::cuda::library_folders(),
                     .devices = device::cuda::gpu_nodes()};
    jail.readable.emplace_back("/sys");  // without it cuInit fails with 304
    if (is_torch()) {
      const auto folders = torch_folders();
      if (!folders) {
        result_.test = "not run here: no PyTorch with CUDA";
        return {};
      }
      child.command = {"python3", "test_" + request_.delivery.name + ".py"};
      jail.readable.insert(jail.readable.end(), folders->begin(), folders->end());
      jail.readable.push_back(toolchain.root);
    }
    child = build::confined(std::move(child), jail);
    child.environment.push_back("CUDA_HOME=" + toolchain.root.string());
    for (const char* name : {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES"}) {
      if (const char* value = std::getenv(name))
        child.environment.push_back(fmt::format("{}={}", name, value));
    }
    KP_TRY(const ChildExit exit, run_child(child));
    conclude(exit);
    return {};
  }

  /// What Python needs to read for PyTorch; absent without one that sees a GPU.
  static std::optional<std::vector<Path>> torch_folders() {
    constexpr const char* kProbe =
        "import os, sys, torch\n"
        "assert torch.cuda.is_available()\n"
        "print(sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(torch.__file__)), "
        "sep='\\n')";
    const auto exit = run_child(
        {.command = {"python3", "-c", kProbe}, .inherit_environment = true, .deadline = kLongest});
    if (!exit || !exit->ok()) return std::nullopt;
    std::vector<Path> folders;
    for (const std::string_view line : split_lines(exit->output)) folders.emplace_back(line);
    return folders;
  }

  void conclude(const ChildExit& exit) {
    const std::string where =
        request_.gpu + (build::sandbox_works() ? ", confined" : ", unconfined");
    if (exit.ok()) {
      result_.test = fmt::format("passed on {}: {} shapes", where, request_.delivery.cases.size());
    } else if (exit.code == kNoDevice) {
      result_.test = "not run here: no device in the sandbox";
    } else {
      result_.good = false;
      result_.test = fmt::format("FAILED on {}: {}", where, outcome_of(exit));
      result_.log = tail_of(exit);
    }
  }

  const TrialRequest& request_;
  Path folder_;
  TrialResult result_;
};

}  // namespace

Result<TrialResult> try_out(const TrialRequest& request) {
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-export"));
  for (const File& file : request.files)
    KP_TRY_VOID(write_file(folder.path() / file.name, file.text));
  return Trying(request, folder.path()).run();
}

}  // namespace kp::package
