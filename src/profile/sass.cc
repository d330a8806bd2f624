// SPDX-License-Identifier: Apache-2.0
#include "profile/sass.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "build/sandbox.h"
#include "build/toolchain.h"
#include "profile/sass_census.h"

namespace kp::profile {
namespace {

constexpr std::chrono::seconds kDeadline{120};
constexpr std::uint64_t kLargestText = 512ull << 20;  // bytes; about 60 for an instruction

using Functions = std::vector<SassFunction>;

/// The program with its options, the file to be appended; empty: there is none here. nvdisasm reads
/// cubins alone, cuobjdump everything, with nvdisasm's help.
std::vector<std::string> disassembler(bool of_cubin) {
  const build::InspectionTools tools = build::find_inspection_tools();
  if (of_cubin && !tools.nvdisasm.empty()) return {tools.nvdisasm.string(), "-c"};
  if (!tools.cuobjdump.empty()) return {tools.cuobjdump.string(), "-sass"};
  return {};
}

bool is_cubin(std::string_view bytes) {
  constexpr std::size_t kMachine = 18;  // e_machine in an ELF header
  constexpr char kCuda = '\xbe';        // EM_CUDA, 190
  return bytes.size() > kMachine && bytes.starts_with("\177ELF") && bytes[kMachine] == kCuda;
}

Result<Functions> disassemble(const Path& file, std::vector<std::string> command,
                              const Path& folder) {
  const Path tool = command.front();
  command.push_back(file.string());
  const ChildSpec child = build::confined(
      {.command = std::move(command), .deadline = kDeadline, .output_bytes = kLargestText},
      {.folder = folder, .readable = {tool.parent_path(), file}});
  KP_TRY(const ChildExit exit, run_child(child));
  if (exit.timed_out) {
    return fail(ErrorCode::kTimeout, fmt::format("{} did not end", tool.filename().string()),
                "machine code stays unknown; try a smaller file");
  }
  if (!exit.ok()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{}: {}", tool.filename().string(), exit.error_output),
                "give a cubin or a program with kernels, and a toolkit that knows its GPU");
  }
  return read_sass(exit.output);
}

/// What each kernel of a binary holds; empty when its code cannot be had.
using Censuses = std::map<std::string, MetricSet, std::less<>>;

Result<Censuses> take_censuses(const build::Binary& binary) {
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-sass"));
  const Path file = folder.path() / "kernel.cubin";
  KP_TRY_VOID(write_file(file, binary.cubin));
  KP_TRY(const Functions functions, disassemble(file, disassembler(true), folder.path()));
  Censuses censuses;
  for (const SassFunction& function : functions) add_census(function, censuses[function.name]);
  return censuses;
}

/// Once for each binary: the same candidate is profiled in few passes, in full, and at the end.
class CensusCache {
 public:
  Censuses of(const build::Binary& binary) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(binary.id);
    if (known != known_.end()) return known->second;
    // A disassembler that fails leaves the metrics unknown; a candidate is not to blame for it.
    Censuses taken = take_censuses(binary).value_or(Censuses());
    if (!binary.id.empty()) known_.emplace(binary.id, taken);
    return taken;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Censuses> known_;
};

class SassSource : public Source {
 public:
  std::string_view name() const override { return "sass"; }
  bool serves(const device::Description&) const override {
    std::call_once(looked_, [this] { there_ = !disassembler(true).empty(); });
    return there_;
  }
  bool asks_device() const override { return false; }
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    if (request.binary.cubin.empty()) return {};
    const Censuses censuses = cache_.of(request.binary);
    for (KernelProfile& kernel : profile.kernels) {
      const auto found = censuses.find(kernel.kernel);
      if (found != censuses.end()) kernel.metrics.merge(found->second);
    }
    return {};
  }

 private:
  mutable std::once_flag looked_;
  mutable bool there_ = false;
  mutable CensusCache cache_;
};

}  // namespace

std::unique_ptr<Source> sass_source() { return std::make_unique<SassSource>(); }

Result<std::vector<SassFunction>> disassemble(const Path& file) {
  KP_TRY(const std::string bytes, read_file(file));
  std::vector<std::string> command = disassembler(is_cubin(bytes));
  if (command.empty()) {
    return fail(ErrorCode::kUnavailable, "there is no disassembler for GPU code",
                "install the CUDA toolkit's packages cuda-nvdisasm and cuda-cuobjdump");
  }
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-sass"));
  std::error_code error;
  return disassemble(std::filesystem::absolute(file, error), std::move(command), folder.path())
      .within(file.string());
}

}  // namespace kp::profile
