// SPDX-License-Identifier: Apache-2.0
// What came out of trying one candidate. A bad candidate is data, never an Error.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace kp {

/// The compiler or the plan checker refused it.
struct BuildFailed {
  std::string log;  // the compiler's own text, or the plan error with file, line, column and hint
  SourceSpot spot;  // first error, when known
};
/// It builds, but breaks a rule of integrity (binary gate, byte floor, written input, ...).
struct Rejected {
  std::string rule;    // "writable-global", "undefined-symbol", "input-written", "canary", ...
  std::string reason;  // one sentence with names and numbers
};
enum class FaultKind {
  kMemory,
  kMisaligned,
  kRace,
  kUninitialised,
  kBarrier,
  kIllegalInstruction,
  kTrap,
  kOutOfResources,
  kUnsupported,  // an instruction or launch form that this device cannot execute
};
struct Crashed {
  FaultKind fault = FaultKind::kMemory;
  std::string message;  // what, kernel, address, thread
  std::string kernel;
  SourceSpot spot;  // CUDA source line when -lineinfo knows it
};
struct TimedOut {
  std::string phase;  // compile | check | time
  double limit = 0;   // seconds, or instructions when unit says so
  std::string unit;   // "s" or "instructions"
  std::string detail;
};
struct WrongAnswer {
  std::string message;    // one sentence for people
  std::string value_set;  // which inputs: normal, needles, ...
  std::string workload;
  std::string tensor;
  std::string gate;  // centred-l2 | row | special-values | exact | unwritten | determinism
  double error = 0, limit = 0;      // of that gate
  std::vector<std::int64_t> index;  // of the worst element
  double expected = 0, got = 0;     // there
};
/// A measured speed-up over the baseline: median of paired ratios with its 95 % interval.
struct Speedup {
  double value = 1, low = 1, high = 1;
  int pairs = 0;
};
struct TimedWorkload {
  std::string workload;
  double nanoseconds = 0;
  std::optional<double> low, high;  // 95 % interval; absent for modelled times
  std::optional<Speedup> speedup;   // beside the baseline, in alternation; measured times only
};
/// What whoever reads a result has to look at before believing it; no reason to reject.
struct Label {
  std::string name;  // "flop-floor" | "near-byte-floor" | "stateful"
  std::string text;  // one sentence with numbers
};
struct Measured {
  double nanoseconds = 0;  // geometric mean over the time workloads
  Grade grade = Grade::kModelled;
  std::vector<TimedWorkload> workloads;
  double worst_error = 0, error_limit = 0;  // centred L2 and its gate
  bool deterministic = true;
  std::optional<Speedup> speedup;  // geometric mean over the workloads; measured times only
  std::vector<Label> labels;
  Profile profile;
};

/// What the benchmark that published a task would say of the same outputs, by its own tolerance.
/// A second opinion: it neither accepts nor rejects.
struct PublishedVerdict {
  std::string rule;      // "FlashInfer-Bench", "SOL-ExecBench"
  std::string workload;  // a check workload, on its contract inputs
  bool passed = true;
  double max_absolute_error = 0, max_relative_error = 0;  // of all outputs and seeds
  double matched = 1, required = 1;                       // shares of elements
  bool has_nan = false, has_infinity = false;             // where that rule allows none
};

using Outcome = std::variant<BuildFailed, Rejected, Crashed, TimedOut, WrongAnswer, Measured>;

enum class Depth { kQuick, kFinal };

struct Evaluation {
  Outcome outcome = BuildFailed{};
  Depth depth = Depth::kQuick;
  std::string device;
  double wall_seconds = 0;               // what it cost us; not a result
  std::map<std::string, double> phases;  // of these, seconds by phase: build, load, verify, ...
  std::string sandbox;  // what confined the candidate on hardware; empty on virtual devices
  std::vector<std::string> notes;  // "oracle: self", "prepare: 1.2 us modelled", ...
  std::vector<PublishedVerdict> published;

  const Measured* measured() const { return std::get_if<Measured>(&outcome); }
};

/// "build failed", "rejected", "crashed", "timed out", "wrong answer", "measured".
std::string_view name_of(const Outcome& outcome);
std::string_view name_of(FaultKind fault);
std::string_view name_of(Depth depth);
/// "1.52x over the baseline (95 %: 1.51 to 1.53, 30 pairs)".
std::string to_string(const Speedup& speedup);
/// One line for a terminal: what happened, with the most useful detail.
std::string summary(const Evaluation& evaluation);

}  // namespace kp
