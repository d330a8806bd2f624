// SPDX-License-Identifier: Apache-2.0
#include "loop/standalone.h"

#include <algorithm>

#include "task/task.h"

namespace kp::loop {

Result<std::string> standalone(const Candidate& candidate) {
  Plan plan = candidate.plan;
  bool changed = false;
  for (Tune& tune : plan.tunes) {
    const auto chosen = candidate.tune.find(tune.name);
    if (chosen == candidate.tune.end()) continue;
    const auto at = std::find(tune.values.begin(), tune.values.end(), chosen->second);
    if (at == tune.values.begin() || at == tune.values.end()) continue;
    std::rotate(tune.values.begin(), at, at + 1);
    changed = true;
  }
  if (!changed) return candidate.source;
  return task::replace_plan(candidate.source, candidate.file, plan);
}

}  // namespace kp::loop
