// SPDX-License-Identifier: Apache-2.0
#include "build/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/child.h"
#include "base/hash.h"
#include "base/text.h"
#include "build/ptxas_log.h"
#include "build/sandbox.h"

namespace kp::build {
namespace {

// Part of the cache key: raise it when options, worker or the form of Compiled change.
constexpr std::string_view kVersion = "2";
constexpr std::uint64_t kMemory = 8ull << 30;
constexpr std::uint64_t kLargestOutput = 64ull << 20;

using Outcome = Result<std::variant<Compiled, TimedOut>>;

/// Options that NVRTC and nvcc share.
std::vector<std::string> options_of(const CompileRequest& request) {
  std::vector<std::string> options{"-arch=" + request.architecture, "-lineinfo", "-std=c++17"};
  for (const std::string& define : request.defines) options.push_back("-D" + define);
  for (const Path& root : request.include_roots) options.push_back("-I" + root.string());
  return options;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Line tables name the source without the folder it was compiled in, which is another each time.
std::string without_folder(std::string ptx, const Path& folder) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = 0; (at = ptx.find(prefix, at)) != std::string::npos;)
    ptx.erase(at, prefix.size());
  return ptx;
}

/// Whether the source uses what only this very architecture has (wgmma, setmaxnreg): then it is
/// compiled for sm_90a, which no later device runs. Not from the start, since ptxas checks less
/// there, the limit of static shared memory among it.
bool needs_own_features(const CompileRequest& request, std::string_view log) {
  const std::string quoted = fmt::format("'{}'", request.architecture);
  return log.find("not supported on .target " + quoted) != log.npos ||
         log.find("cannot be compiled for architecture " + quoted) != log.npos;
}

TimedOut timed_out(const CompileRequest& request, std::string_view compiler) {
  const double seconds = static_cast<double>(request.deadline.count()) / 1000;
  return {"compile", seconds, "s",
          fmt::format("{} did not finish; recursive templates or huge unrolled loops do this",
                      compiler)};
}

/// The signal that ended the program; the sandbox reports it as 128 + signal.
int signal_of(const ChildExit& exit) {
  return exit.signal != 0 ? exit.signal : std::max(exit.code - 128, 0);
}

/// A compiler that died: by its limits or by a bug of its own that this source finds.
std::string died(std::string_view compiler, int signal, const ChildExit& exit) {
  return fmt::format("{} ended by signal {} on this source (limits: {} memory, {} output)\n{}",
                     compiler, signal, format_bytes(static_cast<double>(kMemory)),
                     format_bytes(static_cast<double>(kLargestOutput)), exit.error_output);
}

class Run {
 public:
  Run(const CompileRequest& request, const Toolchain& toolchain, Path folder)
      : request_(request), toolchain_(toolchain), folder_(std::move(folder)) {}

  Outcome nvrtc() {
    KP_TRY(const Path worker, find_own_program("kernelpro-compile", "build"));
    KP_TRY_VOID(write_file(folder_ / "source.cu", request_.source));
    std::vector<std::string> command{worker.string(), toolchain_.nvrtc.string(), request_.name};
    append(command, options_of(request_));
    append(command,
           {"--ptxas-options=-v", "-default-device", "--device-int128",
            "-I" + toolchain_.include.string(), "-I" + (toolchain_.include / "cccl").string()});
    KP_TRY(const ChildExit exit, run(std::move(command), worker));
    if (exit.timed_out) return timed_out(request_, "NVRTC");
    Compiled compiled{.ok = exit.ok(), .compiler = "NVRTC " + toolchain_.version};
    const int signal = signal_of(exit);
    auto log = read_file(folder_ / "log.txt", kLargestOutput);
    if (signal == 0 && (exit.code > 1 || !log)) {
      return fail(ErrorCode::kUnavailable,
                  fmt::format("NVRTC at {} cannot be used: {}", toolchain_.nvrtc.string(),
                              trim(exit.error_output)),
                  "reinstall the CUDA toolkit's NVRTC, or set CUDA_HOME to another one");
    }
    compiled.log = signal != 0 ? died("NVRTC", signal, exit) : *std::move(log);
    if (compiled.ok) KP_TRY_VOID(read_binaries(compiled, "kernel.ptx", "kernel.cubin"));
    return compiled;
  }

  Outcome nvcc() {
    const std::string stem = Path(request_.name).stem().string();
    KP_TRY_VOID(write_file(folder_ / (stem + ".cu"), request_.source));
    std::vector<std::string> command{toolchain_.nvcc.string(), "-cubin", "-keep", "-Xptxas=-v"};
    append(command, options_of(request_));
    append(command, {stem + ".cu", "-o", "kernel.cubin"});
    KP_TRY(const ChildExit exit, run(std::move(command), toolchain_.nvcc));
    if (exit.timed_out) return timed_out(request_, "nvcc");
    Compiled compiled{.ok = exit.ok(), .compiler = "nvcc " + toolchain_.version};
    const int signal = signal_of(exit);
    compiled.log = signal != 0 ? died("nvcc", signal, exit) : exit.error_output + exit.output;
    if (compiled.ok) KP_TRY_VOID(read_binaries(compiled, stem + ".ptx", "kernel.cubin"));
    return compiled;
  }

 private:
  Result<ChildExit> run(std::vector<std::string> command, const Path& program) const {
    Jail jail{.folder = folder_, .readable = {toolchain_.root, program.parent_path()}};
    jail.readable.insert(jail.readable.end(), request_.include_roots.begin(),
                         request_.include_roots.end());
    return run_child(confined({.command = std::move(command),
                               .deadline = request_.deadline,
                               .memory_bytes = kMemory,
                               .file_bytes = kLargestOutput},
                              jail));
  }

  Result<void> read_binaries(Compiled& compiled, const std::string& ptx,
                             const std::string& cubin) const {
    KP_TRY(std::string text, read_file(folder_ / ptx, kLargestOutput));
    KP_TRY(compiled.cubin, read_file(folder_ / cubin, kLargestOutput));
    compiled.ptx = without_folder(std::move(text), folder_);
    return {};
  }

  const CompileRequest& request_;
  const Toolchain& toolchain_;
  Path folder_;
};

/// Headers, names and host code that exist for nvcc only.
bool needs_nvcc(std::string_view log) {
  for (const std::string_view sign :
       {"cannot open source file", "could not open source file", "not allowed in JIT mode",
        "is undefined", "namespace \"std\" has no member"}) {
    if (log.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string address_of(const CompileRequest& request, const Toolchain& toolchain) {
  return content_address({"kernelpro-build", kVersion, describe(toolchain), request.name,
                          join(options_of(request), "\n") + request.headers, request.source});
}

Outcome compile(const CompileRequest& request, const Toolchain& toolchain) {
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-compile"));
  Run run(request, toolchain, folder.path());
  KP_TRY(auto outcome, run.nvrtc());
  const auto* refused = std::get_if<Compiled>(&outcome);
  if (refused == nullptr || refused->ok) return outcome;
  if (needs_own_features(request, refused->log)) {
    CompileRequest special = request;
    special.architecture += "a";
    return compile(special, toolchain);
  }
  if (toolchain.nvcc.empty() || !needs_nvcc(refused->log)) return outcome;
  return run.nvcc();
}

}  // namespace kp::build
