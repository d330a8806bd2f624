// SPDX-License-Identifier: Apache-2.0
// What a diagnosis says: plain words for people and proposers, numbers for the ledger.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile.h"

namespace kp {

enum class Severity { kInfo, kWarning, kCritical };
std::string_view name_of(Severity severity);

/// What bounds a kernel, by theory first (task) and measurement second.
enum class Boundness { kMemory, kCompute, kLatency, kMixed, kLaunch };
std::string_view name_of(Boundness boundness);

/// A range of speed-ups of the whole run, 1 = none.
struct Gain {
  double low = 1, high = 1;
};

/// One thing to do. `action` is the stable key by which rewrites and the ledger know it.
struct Prescription {
  std::string action;  // "pad-shared", "widen-access", ... (diagnose/actions.h)
  std::string text;    // imperative sentence
  std::string code;    // short CUDA hint; may be empty
};

struct Finding {
  std::string tool;
  std::string kernel;
  Severity severity = Severity::kInfo;
  std::string saw;                          // the evidence, with numbers and units
  std::string costs;                        // why that is slow
  std::vector<Prescription> prescriptions;  // best first
  Gain gain;
  Grade grade = Grade::kModelled;  // the weakest grade among the evidence used
  std::vector<SourceSpot> spots;   // worst first
};

struct Diagnosis {
  Boundness boundness = Boundness::kMixed;
  std::string why;                          // one sentence: intensity against ridge, throughputs
  bool at_roof = false;                     // nothing but less work can help
  double headroom = 1;                      // time over the lower bound, >= 1
  std::vector<Finding> findings;            // ranked
  std::vector<std::string> not_applicable;  // "tool: why", unknown metrics included
};

}  // namespace kp
