// SPDX-License-Identifier: Apache-2.0
#include "suite/noise.h"

#include <set>

#include "loop/workshop.h"
#include "suite/one_run.h"
#include "task/task.h"

namespace kp::suite {
namespace {

/// The baseline of `task` at full depth, with inputs of this seed.
Result<Measured> judge_baseline(const Task& task, const loop::Bench& bench, std::uint64_t seed) {
  harness::HarnessOptions options;
  options.seed = seed;
  KP_TRY(auto shop, loop::open_workshop(task, bench, options));
  KP_TRY(const auto baseline,
         task::make_candidate(task, *task.baseline, task.baseline_path.string()));
  KP_TRY(const auto evaluation, shop.harness->evaluate(baseline, Depth::kFinal));
  if (const Measured* measured = evaluation.measured()) return *measured;
  return fail(ErrorCode::kInvalidInput, "the baseline does not work: " + summary(evaluation));
}

Result<Noise> noise_of(const WantedRun& run, const loop::Bench& bench) {
  KP_TRY(const Task task, read_task(run));
  if (!task.baseline) return fail(ErrorCode::kUnsupported, "the task has no baseline of its own");
  KP_TRY(const Measured first, judge_baseline(task, bench, 1));
  Noise noise{run.key.task, bench.device->describe().name, bench.device->describe().spec.product,
              first.grade};
  if (first.speedup) {
    noise.ratio = first.speedup->value;
    noise.low = first.speedup->low;
    noise.high = first.speedup->high;
    return noise;
  }
  KP_TRY(const Measured second, judge_baseline(task, bench, 2));
  noise.ratio = first.nanoseconds / second.nanoseconds;
  return noise;
}

}  // namespace

Result<int> record_noise(SuiteStore& store, const std::string& device, const OnNoise& told,
                         const StopFlag& stop) {
  KP_TRY(const auto bench, loop::open_bench(device, stop));
  KP_TRY(const auto wanted, store.wanted());
  std::set<std::string> done;
  int kept = 0;
  for (const WantedRun& run : wanted) {
    if (stop.requested()) break;
    if (!done.insert(run.key.task).second) continue;
    const auto noise = noise_of(run, bench);
    told(run.key.task, noise);
    if (!noise) continue;
    KP_TRY_VOID(store.append(*noise));
    ++kept;
  }
  return kept;
}

}  // namespace kp::suite
