// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nsight.h"

#include <fmt/format.h>

#include <cmath>

#include "base/child.h"
#include "base/text.h"
#include "device/cuda/confinement.h"

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kMostPageBytes = 64ull << 20;  // a launch takes 40 KB
constexpr std::uint64_t kMostFileBytes = 64ull << 30;  // ncu saves arrays that kernels change
constexpr std::size_t kLongestComplaint = 400;         // bytes

ChildSpec spec_of(const WorkerSpec& worker, const Path& folder, double deadline_seconds) {
  ChildSpec child;
  child.command = {worker.ncu.string(),
                   "--set",
                   "full",
                   "--import-source",
                   "no",
                   "--clock-control",
                   "none",
                   "--csv",
                   "--page",
                   "details",
                   "--print-units",
                   "base",
                   "--log-file",
                   (folder / "details").string(),
                   worker.program.string(),
                   "replay",
                   (folder / "replay").string()};
  child.folder = folder;
  child.environment = worker_environment();
  // Its lock and its sections' files lie there.
  for (const char* name : {"TMPDIR=", "HOME="}) child.environment.push_back(name + folder.string());
  child.deadline = std::chrono::milliseconds(std::llround(deadline_seconds * 1000));
  child.file_bytes = kMostFileBytes;
  return child;
}

/// Its own words where it has some, else those of the process that it watched.
std::string complaint_in(const std::string& page, const ChildExit& end) {
  for (const std::string_view line : split_lines(page)) {
    if (line.starts_with("==ERROR==")) return std::string(trim(line.substr(9)));
  }
  std::string said(trim(end.error_output.empty() ? end.output : end.error_output));
  said.resize(std::min(said.size(), kLongestComplaint));
  return said.empty() ? fmt::format("it ended with status {}", end.code) : said;
}

}  // namespace

Result<std::string> nsight_details(const WorkerSpec& worker, const Replay& replay,
                                   double deadline_seconds) {
  if (worker.ncu.empty()) {
    return fail(ErrorCode::kUnavailable, "there is no `ncu` on this machine",
                "install Nsight Compute (it comes with the CUDA toolkit: package nsight-compute)");
  }
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-ncu"));
  KP_TRY_VOID(write_replay(folder.path() / "replay", replay));
  KP_TRY(const ChildExit end, run_child(spec_of(worker, folder.path(), deadline_seconds)));
  if (end.timed_out) {
    return fail(ErrorCode::kTimeout,
                fmt::format("Nsight Compute took more than {:.0f} s", deadline_seconds));
  }
  std::string page = read_file(folder.path() / "details", kMostPageBytes).value_or(std::string());
  if (end.ok() && page.find("\"Rule Name\"") != std::string::npos) return page;
  return fail(ErrorCode::kUnavailable, "Nsight Compute: " + complaint_in(page, end),
              "kernelpro doctor says whether counters may be read");
}

}  // namespace kp::device::cuda
