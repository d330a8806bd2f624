// SPDX-License-Identifier: Apache-2.0
// A candidate beside the baseline on real hardware: laps in alternation, every one of them on
// inputs that nobody has seen before, every output verified once nothing of the candidate can run.
// The rules are docs/harness.md.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device/hardware.h"
#include "harness/arena.h"
#include "harness/opinion.h"
#include "harness/verify.h"
#include "stats/stats.h"

namespace kp::harness {

/// A candidate with its binary.
struct Player {
  Candidate candidate;
  build::Binary binary;
  std::unique_ptr<device::Loaded> loaded;  // on the trusted device, for prepare steps
};

/// What all contests of a task share. `opinion` and `baseline` are null when the task has none.
struct Bench {
  device::Hardware& hardware;
  Referee& referee;
  Opinion* opinion = nullptr;
  const Player* baseline = nullptr;
  /// Nanoseconds of one run of the baseline by workload, as contests learn them; may be null.
  std::map<std::string, double>* baseline_times = nullptr;
};

struct ContestReport {
  double nanoseconds = 0;  // median of the laps that count, of one run of the plan
  stats::Interval interval;
  std::optional<Speedup> speedup;
  double error = 0, limit = 0;                      // the output that came nearest to its gate
  int launches = 0;                                 // verified runs of the plan
  int void_pairs = 0, slow_pairs = 0;               // repeated; at a low clock that both sides had
  std::optional<double> candidate_hz, baseline_hz;  // usual SM clocks
  std::optional<double> prepare_nanoseconds;
  std::string answers;  // what outputs were compared with, as a note
};

class Contest {
 public:
  /// `request` and `bench` must outlive the contest; `key` is secret and differs for each contest.
  Contest(const VerifyRequest& request, const Bench& bench, const Workload& workload,
          std::uint64_t key);
  ~Contest();

  /// An Outcome when the candidate fails. Errors: kBusy when too many samples are void,
  /// kInvalidInput when the baseline fails, kLimit when the arrays do not fit.
  /// `loaded`: the candidate, in a process that may be told how a launch went but nothing else.
  Result<std::variant<ContestReport, Outcome>> run(device::Loaded& loaded);
  /// One lap of the candidate on fresh inputs, nanoseconds: enough to profile its steps.
  Result<std::variant<double, Outcome>> rehearse(device::Loaded& loaded);
  /// The candidate's steps on arrays that still exist, to be profiled.
  const std::vector<device::BoundStep>& steps() const;
  /// Once more the fingerprints of the last round, when the candidate is gone.
  Result<std::optional<Outcome>> late_writer();
  /// First launch in a process of its own, nanoseconds.
  Result<std::variant<double, Outcome>> first_launch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kp::harness
