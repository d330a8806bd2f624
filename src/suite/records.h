// SPDX-License-Identifier: Apache-2.0
// What a suite keeps of its runs. What is absent is unknown, never zero.
#pragma once
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/profile.h"

namespace kp::suite {

struct RunKey {
  std::string arm, task;
  std::uint64_t seed = 1;
  auto operator<=>(const RunKey&) const = default;
};
/// "softmax, seed 2", with the arm in front where there are several.
std::string to_string(const RunKey& key);

struct WantedRun {
  RunKey key;
  Path path;    // of the task
  Path from{};  // plan that it begins with instead of the task's own; empty: the task's own
};

/// A time that the best is held against.
struct Yardstick {
  std::string name;       // kOwnBaseline, "eager", "compile", "graph", ...
  std::string precision;  // class in which it computes
  Grade grade = Grade::kModelled;
  double nanoseconds = 0;
};
inline constexpr const char* kOwnBaseline = "plan";
/// What every task that is defined in PyTorch is timed by on a GPU.
inline constexpr std::array kTorchModes{"eager", "compile", "graph"};

/// One candidate, in the order of judgement; evaluation 1 is the baseline.
struct Point {
  int evaluation = 0, node = 0;
  std::string outcome;
  std::optional<double> speedup;  // at quick depth, when it was correct
  std::optional<std::string> level;
  std::optional<double> seconds;       // of work since the run began
  std::optional<std::int64_t> tokens;  // of models, up to here
  std::optional<double> dollars;
};

/// What of a result exists only when some version passed at full depth.
struct Best {
  int node = 0;
  Grade grade = Grade::kModelled;
  double nanoseconds = 0;
  std::optional<double> speedup;    // over the task's own baseline
  std::optional<double> low, high;  // its 95 % interval, where it was measured
  std::optional<double> headroom;   // time over the lower bound
  std::optional<std::string> level;
  std::vector<std::string> labels;   // what kind of win; empty: unknown
  std::vector<std::string> remarks;  // what to look at before believing it
};

struct RunResult {
  RunKey key;
  bool quarantined = false;
  std::string reason;  // of the quarantine, or the rule that ended the run
  std::string device, product, task_digest;
  Path folder;  // of the run, from the suite's folder
  int evaluations = 0;
  std::string precision;     // class of the best, else of the task
  std::optional<Best> best;  // absent: nothing passed
  std::vector<Yardstick> yardsticks;
  std::optional<double> seconds;
  std::optional<std::int64_t> tokens;
  std::optional<double> dollars;
  std::vector<Point> points;
};

/// The baseline of a task against itself.
struct Noise {
  std::string task, device, product;
  Grade grade = Grade::kModelled;
  double ratio = 1;
  std::optional<double> low, high;
};

}  // namespace kp::suite
