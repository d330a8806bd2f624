// SPDX-License-Identifier: Apache-2.0
// What only real hardware offers beside the seam of device.h: a clock, counters, and a place where
// trusted code runs apart from candidates. The virtual GPU has none of it: Device::hardware() is
// null there.
//
// Every loaded candidate lives in a process of its own that holds device code and launches it,
// nothing else. Trusted code (inputs, references, comparisons) runs in another process over the
// same device memory, at the same addresses.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "device/device.h"

namespace kp::device {

/// Whose steps are timed. `sets[i]` is the plan bound to the i-th set of arrays.
struct Contender {
  const build::Binary* binary = nullptr;  // null: the candidate that the series is about
  std::vector<std::vector<BoundStep>> sets;
};
/// One sample: a contender's steps on these sets, back to back between one pair of events.
struct Lap {
  int contender = 0;
  std::vector<int> sets;
};
struct SeriesRequest {
  std::span<const Contender> contenders;
  std::span<const Lap> laps;  // in this order
  bool cold = true;           // L2 flushed before each lap, ending in reads
  double deadline_seconds = 60;
};
struct LapTime {
  double nanoseconds = 0;       // between the events, less what an empty pair of events takes
  std::optional<double> sm_hz;  // SM clock around the lap, from the SM's own counters
};
struct SeriesReport {
  Mishap mishap;
  int guilty = -1;            // contender that was running when it happened, by what its own
                              // process says; -1: not known
  std::vector<LapTime> laps;  // as requested; shorter after a mishap
  double empty_nanoseconds = 0;
  double wall_seconds = 0;  // of the whole series, by our own clock
};

/// Counters of each launch of the steps, in order. What the hardware does not know is absent.
struct CountRequest {
  std::span<const BoundStep> steps;
  std::span<const MetricKey> metrics;
  double deadline_seconds = 120;
};
struct CountReport {
  Mishap mishap;
  std::vector<LaunchReport> launches;  // nanoseconds 0 where gpu__time_duration was not asked for
  int passes = 0;
};

/// A kernel as CUPTI saw it run.
struct TracedKernel {
  std::string name;
  std::uint32_t grid[3]{1, 1, 1}, block[3]{1, 1, 1};
  double start = 0, end = 0;  // ns since the first of them began
};
struct TraceRequest {
  std::span<const BoundStep> steps;
  double deadline_seconds = 60;
};
/// One run of the steps with cold L2, timed by two clocks at once.
struct TraceReport {
  Mishap mishap;
  std::vector<TracedKernel> kernels;  // all that ran on the GPU in this process, in order
  double event_nanoseconds = 0;       // between events around the steps; nothing is subtracted
};

/// The steps once more, alone and under Nsight Compute, with a part of what the arrays hold.
struct RulesRequest {
  std::span<const BoundStep> steps;
  double deadline_seconds = 300;  // ncu repeats each launch some 40 times
};

/// The state of the GPU, from NVML. Absent means that NVML does not say.
struct GpuState {
  std::optional<double> sm_hz, memory_hz, watts, celsius, joules;  // joules since driver load
  std::optional<std::uint64_t> reasons;  // why clocks are low: NVML's clocks event reasons
  std::optional<int> other_processes;    // that compute on the GPU beside ours
};

/// Where an array lies in physical memory that other processes can map.
struct SharedArray {
  Descriptor descriptor;     // of the memory: CUDA's shareable handle
  std::uint64_t bytes = 0;   // of all of it, which is mapped as a whole
  std::uint64_t offset = 0;  // of the array in it
};

/// Who looks at a candidate's launches from beside. Each is kUnavailable where what it needs is
/// absent or not permitted, with what to do.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual Result<CountReport> count(Loaded& candidate, const CountRequest& request) = 0;
  virtual Result<TraceReport> trace(Loaded& candidate, const TraceRequest& request) = 0;
  /// Nsight Compute's page "details" as CSV: its rules' text among other things.
  virtual Result<std::string> rules(Loaded& candidate, const RulesRequest& request) = 0;
};

class Hardware {
 public:
  virtual ~Hardware() = default;
  /// A device over the same memory in a process in which no candidate ever runs. Lives as long as
  /// this.
  virtual Device& trusted() = 0;
  virtual Result<SeriesReport> series(Loaded& candidate, const SeriesRequest& request) = 0;
  virtual Observer& observer() = 0;
  /// The array at `address`. Whoever gets the descriptor may write to it, and keeps the memory for
  /// as long as it is mapped there.
  virtual Result<SharedArray> share(std::uint64_t) {
    return fail(ErrorCode::kUnsupported, "this device shares no memory with other processes");
  }
  virtual GpuState state() = 0;
  /// What confines candidates: "full" (namespaces, Landlock, system calls), "landlock", "minimal".
  virtual std::string sandbox() const = 0;
};

}  // namespace kp::device
