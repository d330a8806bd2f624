// SPDX-License-Identifier: Apache-2.0
// Profiles of programs that KernelPro did not run itself: from Nsight Compute's files, from Nsight
// Systems' exports, from a program that ran under our own injection. Read by one file each.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/profile.h"

namespace kp::profile {

/// All launches of one kernel with the same grid and block, as one profile. Counters are of the
/// launch of median duration; the share of time is that of all of them.
struct RecordedKernel {
  std::string name;  // demangled
  std::int64_t launches = 1;
  double total_ns = 0;  // of all launches; 0 when no duration was recorded
  KernelProfile profile;
};

/// What Nsight Compute's own rules say of a kernel, kept apart from our findings.
struct RuleMessage {
  std::string kernel, rule, type, text;  // type: OPT, WRN, INF
  std::string speedup_type;              // "global", "local" or empty
  std::optional<double> speedup_pct;
};

struct Recording {
  std::string source;        // "ncu", "nsys", "cupti"
  std::string device;        // product name or compute capability, as far as known: "CC 9.0"
  std::string architecture;  // "sm_90"; empty: unknown
  std::vector<RecordedKernel> kernels;  // largest share of time first
  std::optional<Timeline> timeline;
  std::vector<RuleMessage> rules;
  std::vector<std::string> notes;  // "counters were not permitted: ...", "metric x is missing"
};

/// Nsight Compute's CSV (pages raw and details, with or without program output around it).
/// kInvalidInput says what is wrong with the file, with line; kUnavailable quotes the profiler's
/// own error where the file holds one.
Result<Recording> read_ncu_csv(const Path& file);
/// A report of Nsight Compute, through `ncu --import`. kUnavailable without ncu.
Result<Recording> read_ncu_report(const Path& file);
/// The SQLite export of Nsight Systems: time shares and the timeline; no counters.
Result<Recording> read_nsys_sqlite(const Path& file);

}  // namespace kp::profile
