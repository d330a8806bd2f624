// SPDX-License-Identifier: Apache-2.0
// What is to be run: tasks, seeds, devices, and the arms that are to be compared.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "loop/settings.h"

namespace kp::suite {

struct TaskEntry {
  std::string name;  // unique in the suite: the file's name, with its folder's where two are alike
  Path path;         // absolute
  Path from{};       // plan to begin with instead of its own, absolute; empty: its own
  /// "FILE.py:FUNCTION", absolute: timed beside PyTorch's own.
  std::vector<std::string> baselines{};
};

/// One way to run all tasks; a suite without arms has one that is called "all".
struct Arm {
  std::string name;
  loop::Settings settings;  // task, device and seed are each run's own
};
inline constexpr const char* kOnlyArm = "all";

struct Quarantine {
  std::string pattern;  // of task names
  std::string reason;
};

struct Suite {
  std::string name, about;
  std::vector<TaskEntry> tasks;
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> devices;  // as open_device knows them; never empty
  std::vector<Arm> arms;             // never empty
  std::vector<Quarantine> quarantine;

  /// Why `task` is not to be run, or nothing.
  std::optional<std::string> quarantined(const std::string& task) const;
};

/// A TOML file (docs/bench.md), or a folder of tasks with the defaults of `optimize`. Errors name
/// file, line and column.
Result<Suite> read_suite(const Path& path);
/// The text of a suite file that stands at `file`, absolute.
Result<Suite> parse_suite(const std::string& text, const Path& file);

/// Leaves only these arms in `suite`. kNotFound lists those that there are.
Result<void> keep_arms(Suite& suite, const std::vector<std::string>& names);

/// `*`, `?` and `[...]` as a shell understands them; `*` crosses no slash.
bool fits(const std::string& pattern, const std::string& name);

/// What distinguishes the runs of one arm from those of another, as one line of JSON.
std::string settings_text(const Arm& arm);

}  // namespace kp::suite
