// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/child.h"
#include "base/text.h"
#include "build/toolchain.h"
#include "device/cuda/confinement.h"

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kMostPageBytes = 64ull << 20;  // a launch takes 40 KB
constexpr std::uint64_t kMostFileBytes = 64ull << 30;  // ncu saves arrays that kernels change
constexpr std::size_t kLongestComplaint = 400;         // bytes

ChildSpec spec_of(const Path& ncu, const Path& program, const Path& folder,
                  double deadline_seconds) {
  ChildSpec child;
  child.command = {ncu.string(),
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
                   program.string(),
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

}  // namespace

Result<std::string> nsight_details(const WorkerSpec& worker, const Replay& replay,
                                   double deadline_seconds) {
  KP_TRY(const Path ncu, build::find_ncu());
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-ncu"));
  KP_TRY_VOID(write_replay(folder.path() / "replay", replay));
  const ChildSpec spec = spec_of(ncu, worker.program, folder.path(), deadline_seconds);
  KP_TRY(const ChildExit end, run_child(spec));
  if (end.timed_out) {
    return fail(ErrorCode::kTimeout,
                fmt::format("Nsight Compute took more than {:.0f} s", deadline_seconds));
  }
  auto page = read_file(folder.path() / "details", kMostPageBytes);
  if (page && !page->empty()) return *std::move(page);
  std::string said(trim(end.error_output.empty() ? end.output : end.error_output));
  said.resize(std::min(said.size(), kLongestComplaint));
  return fail(ErrorCode::kUnavailable,
              fmt::format("Nsight Compute ended with status {}: {}", end.code, said),
              "kernelpro doctor says whether counters may be read");
}

}  // namespace kp::device::cuda
