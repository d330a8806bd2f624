// SPDX-License-Identifier: Apache-2.0
// One thing that was tried and what came of it: what search memory is made of.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"

namespace kp {

struct Experience {
  std::string run;                          // identity of the run that it comes from
  std::string task;                         // name of the task
  std::string device;                       // description name, "vgpu:h200" or of the GPU
  Boundness boundness = Boundness::kMixed;  // of the parent, as diagnosed
  std::vector<std::string> findings;        // tools that had fired on the parent, ranked
  int parent = 0, node = 0;                 // in that run
  std::string tool, action;                 // of the proposal; empty when no finding led to it
  std::string idea;                         // one sentence
  std::string outcome;                      // "measured", "wrong answer", ...
  std::string lesson;                       // why it failed, one line; empty when it worked
  std::optional<double> gain;               // over the parent, when both were measured
  std::vector<std::string> sources;         // files of code search that the proposer had read
};

}  // namespace kp
