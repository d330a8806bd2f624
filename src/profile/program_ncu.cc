// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/child.h"
#include "build/toolchain.h"
#include "profile/program_runs.h"

namespace kp::profile {
namespace {

// Each launch is repeated some 40 times for --set full, about half a second each.
constexpr int kMostLaunches = 100;

ChildSpec spec_of(const ProgramRequest& request, const Path& ncu, const Path& file) {
  ChildSpec spec;
  spec.command = {ncu.string(),
                  "--set",
                  "full",
                  "--clock-control",
                  "none",
                  "--target-processes",
                  "all",
                  "--launch-count",
                  std::to_string(kMostLaunches),
                  "--csv",
                  "--page",
                  "raw",
                  "--print-units",
                  "base",
                  "--log-file",
                  file.string()};
  spec.command.insert(spec.command.end(), request.command.begin(), request.command.end());
  spec.environment = {"LC_ALL=C"};
  spec.inherit_environment = true;
  spec.deadline = request.deadline;
  spec.file_bytes = kAnyFile;
  return spec;
}

}  // namespace

Result<Recording> record_by_ncu(const ProgramRequest& request) {
  KP_TRY(const Path ncu, build::find_ncu());
  KP_TRY_VOID(find_program(request.command.front()));
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-ncu"));
  const Path file = folder.path() / "launches.csv";
  KP_TRY(const ChildExit end, run_child(spec_of(request, ncu, file)));
  if (end.timed_out) {
    return fail(ErrorCode::kTimeout,
                fmt::format("the program did not end within {} s under Nsight Compute",
                            request.deadline.count()),
                "give it less to do: each launch is repeated some 40 times");
  }
  KP_TRY(Recording recording, read_ncu_csv(file));
  std::int64_t launches = 0;
  for (const RecordedKernel& kernel : recording.kernels) launches += kernel.launches;
  if (launches >= kMostLaunches) {
    recording.notes.push_back(fmt::format(
        "only the first {} launches were counted; shares of time are of these", kMostLaunches));
  }
  return recording;
}

}  // namespace kp::profile
