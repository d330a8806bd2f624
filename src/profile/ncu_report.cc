// SPDX-License-Identifier: Apache-2.0
// Reports are in a format that only Nsight Compute reads; it writes them out as CSV.
#include <algorithm>

#include "base/child.h"
#include "build/toolchain.h"
#include "profile/ncu.h"

namespace kp::profile {
namespace {

// Importing a report of 10,000 launches takes ncu minutes.
constexpr std::chrono::minutes kImportDeadline{10};
constexpr std::uint64_t kLargestExport = 4ull << 30;  // bytes of one page

Result<Path> find_ncu() {
  const Path ncu = build::find_inspection_tools().ncu;
  if (!ncu.empty()) return ncu;
  return fail(ErrorCode::kUnavailable,
              "reading a report needs Nsight Compute's `ncu`, which this machine lacks",
              "install it (it comes with the CUDA toolkit: package nsight-compute), or write the "
              "report out where it is: ncu --import REPORT --csv --page raw --print-units base > "
              "FILE.csv");
}

Result<std::string> page_of(const Path& ncu, const Path& file, const std::string& page) {
  ChildSpec spec;
  spec.command = {ncu.string(), "--import", file.string(),   "--csv",
                  "--page",     page,       "--print-units", "base"};
  spec.environment = {"LC_ALL=C"};
  spec.inherit_environment = true;
  spec.deadline = kImportDeadline;
  spec.output_bytes = kLargestExport;
  KP_TRY(ChildExit exit, run_child(spec));
  if (exit.timed_out) {
    return fail(ErrorCode::kTimeout, "ncu did not read " + file.string() + " within 10 minutes",
                "export a part of it: --launch-skip, --launch-count or -k");
  }
  // What it prints of errors goes to standard output; the reader knows the messages.
  if (exit.ok() || exit.output.find("==ERROR==") != std::string::npos) {
    return std::move(exit.output);
  }
  return fail(ErrorCode::kInvalidInput,
              "ncu cannot read " + file.string() + ": " + exit.error_output.substr(0, 300),
              "a report needs an ncu at least as new as the one that wrote it");
}

}  // namespace

Result<Recording> read_ncu_report(const Path& file) {
  if (!std::filesystem::exists(file)) {
    return fail(ErrorCode::kNotFound, "no such file: " + file.string(), "check the path");
  }
  KP_TRY(const Path ncu, find_ncu());
  KP_TRY(const std::string raw, page_of(ncu, file, "raw"));
  KP_TRY(Recording recording, parse_ncu_csv(raw, file.string()));
  KP_TRY(const std::string details, page_of(ncu, file, "details"));
  // The rules stand on the other page only; reports of single metrics have none.
  if (auto with_rules = parse_ncu_csv(details, file.string())) {
    recording.rules = std::move(with_rules->rules);
  }
  return recording;
}

}  // namespace kp::profile
