// SPDX-License-Identifier: Apache-2.0
// Tasks that are known to be passable without their work: share/kernelbench/degenerate.toml, which
// says how it is written. What is not on the list is screened (harness/screen.h).
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "model/task.h"

namespace kp::task {

enum class FaultClass {
  kConstant,
  kSmall,
  kInputIndependent,
  kPartialWork,
  kRandom,
  kHuge,
  kAlgebraic,
  kPrecondition,  // no fault: structure that candidates may use
  kIndex,
};
std::string_view name_of(FaultClass fault);

struct TaskFault {
  std::string task;  // "level1/23_Softmax"
  FaultClass kind = FaultClass::kConstant;
  bool quarantine = false;          // in no headline
  std::string passes;               // what somebody hands in who did not do the work; may be empty
  std::optional<double> tolerance;  // of allclose at which it passes; 0: at any
  std::string reason, repair;
  std::optional<bool> screened_sound;  // with repaired inputs under our gates; absent: not known
};

/// What the list says of one task.
struct Quarantine {
  std::string task;
  std::vector<TaskFault> faults;    // at least one
  std::vector<std::string> listed;  // by whom else, for information
  bool excluded() const;            // from headlines; otherwise a label is enough
  /// "constant: zeros pass at any tolerance. GELU of 0 is 0."; those that exclude it first.
  std::string reason() const;
};

class QuarantineList {
 public:
  /// kInvalidInput names the line of what is missing or unknown.
  static Result<QuarantineList> read(const Path& file);
  /// share/kernelbench/degenerate.toml of this installation.
  static Result<QuarantineList> read_shipped();

  /// By file name, with its level when the folder around it has one ("level1"); a file outside such
  /// a folder is found by its number and name.
  std::optional<Quarantine> find(const Path& file) const;
  std::int64_t version() const { return version_; }
  const std::vector<TaskFault>& faults() const { return faults_; }

  /// What others list: for information only.
  struct Listed {
    std::string origin, ground;
    std::vector<std::string> tasks;  // "1/23": level and number
    std::optional<std::int64_t> count;
  };
  const std::vector<Listed>& listed() const { return listed_; }

 private:
  std::int64_t version_ = 0;
  std::vector<TaskFault> faults_;
  std::vector<Listed> listed_;
};

/// Whatever the shipped list says of `task`. Only Python problems are looked up; other tasks cost
/// nothing.
Result<std::optional<Quarantine>> known_faults(const Task& task);
/// The same, where it excludes the task from headlines.
Result<std::optional<Quarantine>> quarantined(const Task& task);

}  // namespace kp::task
