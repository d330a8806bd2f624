// SPDX-License-Identifier: Apache-2.0
// What is known about how a candidate ran. Every number carries its grade; what is not known is
// absent.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/metric_keys.h"

namespace kp {

enum class Grade {
  kMeasured,  // hardware counter or event
  kModelled,  // virtual GPU
  kStatic,    // compiler output, occupancy arithmetic
};
std::string_view name_of(Grade grade);

struct Metric {
  double value = 0;
  Grade grade = Grade::kModelled;
  bool operator==(const Metric&) const = default;
};

class MetricSet {
 public:
  void set(const MetricKey& key, double value, Grade grade);
  void set(std::string name, Metric metric) { values_[std::move(name)] = metric; }
  /// Absent means unknown, never zero.
  std::optional<double> get(const MetricKey& key) const;
  std::optional<Metric> find(std::string_view name) const;
  /// Adds what `other` knows and this does not.
  void merge(const MetricSet& other);
  const std::map<std::string, Metric, std::less<>>& all() const { return values_; }
  bool operator==(const MetricSet&) const = default;

 private:
  std::map<std::string, Metric, std::less<>> values_;
};

/// What one source line did in one kernel; counts are over the whole launch. Zero here means
/// counted and zero: lines exist only in profiles that count by line.
struct LineProfile {
  std::string file;
  int line = 0;
  double instructions = 0;                                           // warp instructions
  double global_requests = 0, global_sectors = 0, global_bytes = 0;  // loads and stores
  double ideal_sectors = 0;  // sectors that the same bytes need when packed
  double shared_wavefronts = 0, shared_requests = 0, shared_conflicts = 0;
  double fp64 = 0, xu = 0, conversions = 0;  // thread instructions
  double lanes = 0;                          // thread instructions of any kind, before predicates
  double local_sectors = 0;
  double atomics = 0, barriers = 0;  // warp instructions; atomics on any memory
  bool operator==(const LineProfile&) const = default;
};

struct KernelProfile {
  std::string kernel;
  int launch = 0;  // index of the step in the plan
  MetricSet metrics;
  std::vector<LineProfile> lines;  // ascending by file, line; empty when not counted by line
  double share = 1;                // of the run's time, in [0, 1]
};

/// What the GPU did over a stretch of a program in its steady state; always measured. Absent means
/// that the recording does not say.
struct Timeline {
  double window_ns = 0;         // from the first launch to the end of the last
  double busy_ns = 0;           // union of kernels, copies and fills
  std::int64_t launches = 0;    // kernels
  double median_kernel_ns = 0;  // duration
  double launch_api_ns = 0;     // host time inside launch calls
  double copy_ns = 0, sync_ns = 0, allocation_ns = 0;  // host copies on the GPU; host time in calls
  std::int64_t copies = 0, syncs = 0, allocations = 0;
  std::int64_t graph_launches = 0;
  double pageable_copy_bytes = 0;
  bool operator==(const Timeline&) const = default;
};

/// What a vendor's profiler says by rules of its own, in its words.
struct RuleText {
  std::string kernel, rule, text;
  bool operator==(const RuleText&) const = default;
};

struct Profile {
  std::string device;  // "vgpu:h200", "NVIDIA H200"
  std::string source;  // which profile source: "vgpu", "cupti", ...
  std::string workload;
  std::vector<KernelProfile> kernels;  // in order of launch
  std::optional<Timeline> timeline;    // of whole programs and of runs of several launches
  std::vector<std::string> notes;      // what could not be learned, and what to do about it
  std::vector<RuleText> rules;         // of Nsight Compute, where its text was recorded
};

}  // namespace kp
