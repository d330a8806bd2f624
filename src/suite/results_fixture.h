// SPDX-License-Identifier: Apache-2.0
// Results of runs for the tests of this room.
#pragma once
#include <string>

#include "suite/records.h"

namespace kp::suite {

/// A modelled run whose baseline took 800 ns.
inline RunResult run_of(const std::string& task, std::uint64_t seed, double speedup,
                        const std::string& arm = "all") {
  RunResult run;
  run.key = {arm, task, seed};
  run.reason = "budget";
  run.device = "vgpu:h200";
  run.product = "NVIDIA H200 SXM";
  run.task_digest = "digest of " + task;
  run.folder = "runs/" + arm + "/" + task;
  run.precision = "f32";
  run.evaluations = 2;
  run.seconds = 10;
  run.yardsticks = {{kOwnBaseline, "f32", Grade::kModelled, 800}};
  run.points = {{1, 0, "measured", 1.0, "raw", 1.0, {}, {}},
                {2, 1, "measured", speedup, "raw", 3.0, {}, {}}};
  Best best;
  best.node = 1;
  best.nanoseconds = 800 / speedup;
  best.speedup = speedup;
  best.headroom = 2;
  best.level = "raw";
  best.labels = {"kernel"};
  run.best = best;
  return run;
}

/// The same, when nothing passed at full depth.
inline RunResult failed_run(const std::string& task, std::uint64_t seed,
                            const std::string& arm = "all") {
  RunResult run = run_of(task, seed, 1, arm);
  run.best.reset();
  return run;
}

inline RunResult quarantined_run(const std::string& task, const std::string& reason) {
  RunResult run;
  run.key = {"all", task, 1};
  run.quarantined = true;
  run.reason = reason;
  return run;
}

/// Measured on hardware instead.
inline RunResult measured(RunResult run) {
  run.device = "cuda:0";
  for (Yardstick& one : run.yardsticks) one.grade = Grade::kMeasured;
  if (run.best) run.best->grade = Grade::kMeasured;
  return run;
}

}  // namespace kp::suite
