// SPDX-License-Identifier: Apache-2.0
#include "suite/one_run.h"

#include <fmt/format.h>

#include <chrono>

#include "report/markdown.h"
#include "task/quarantine.h"
#include "task/task.h"

namespace kp::suite {
namespace {

constexpr std::string_view kOnlyRewrites = "rewriter";  // it writes nothing from nothing

/// Tells when nodes were judged, and keeps the first error of telling.
class RunClock final : public loop::Watcher {
 public:
  RunClock(double before, const OnJudged& judged) : before_(before), judged_(judged) {}
  void trying(int, const store::ProposalRecord&) override {}
  void judged(const store::NodeRecord& node, const store::ProposalRecord&) override {
    if (auto told = judged_(node, seconds()); !told && !fault_) fault_ = told.error();
  }
  void concluding(int) override {}
  double seconds() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    return before_ + passed.count();
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  double before_;
  const OnJudged& judged_;
  std::optional<Error> fault_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Errors that speak of the task or of how it is to be run, and would come again.
bool of_the_task(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kUnsupported:
    case ErrorCode::kLimit:
      return true;
    default:
      return false;
  }
}

RunResult refused(const RunOrder& order, const loop::Bench& bench, std::string reason) {
  RunResult result;
  result.key = order.run.key;
  result.quarantined = true;
  result.reason = std::move(reason);
  result.device = bench.device->describe().name;
  result.product = bench.device->describe().spec.product;
  return result;
}

/// Whether the baseline of the run in `folder` was judged, and failed: there is nothing to go on
/// with.
bool never_worked(const Path& folder) {
  const auto view = report::read_run(folder);
  return view && view->at(0).node.evaluation && !view->at(0).node.evaluation->measured();
}

void forget(const Path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
}

Result<loop::Undertaking> undertake(const RunOrder& order, const loop::Bench& bench, Task task,
                                    const Path& folder) {
  if (never_worked(folder)) forget(folder);
  if (std::filesystem::exists(folder / "run.db")) {
    KP_TRY(auto stored, loop::open_alone(folder));
    return loop::Undertaking::go_on(std::move(stored), bench);
  }
  loop::Settings settings = order.arm.settings;
  settings.seed = order.run.key.seed;
  settings.from = order.run.from;
  if (settings.memory != loop::MemoryScope::kOwn) {
    settings.memory_file = std::filesystem::absolute(order.suite_folder) / "memory.db";
  }
  return loop::Undertaking::begin(std::move(settings), std::move(task), order.run.path.string(),
                                  bench);
}

/// Works on the run until it has ended; false when the flag stopped it.
Result<bool> bring_to_end(const RunOrder& order, const loop::Bench& bench, const Task& task,
                          RunClock& clock, const StopFlag& stop) {
  const Path folder = folder_of(order.suite_folder, order.run.key);
  KP_TRY(auto undertaking, undertake(order, bench, task, folder));
  KP_TRY(const auto ending, undertaking.run(folder, &clock, stop));
  if (clock.fault()) return tl::unexpected<Error>(*clock.fault());
  if (ending.reason.rule == "interrupted") return false;
  KP_TRY(const auto view, report::read_run(folder));
  KP_TRY_VOID(write_file(folder / "report.md", report::markdown(view)));
  return true;
}

void add(RunResult& result, const TimedByTorch& timed) {
  result.yardsticks.insert(result.yardsticks.end(), timed.yardsticks.begin(),
                           timed.yardsticks.end());
  if (!result.best) return;
  auto& remarks = result.best->remarks;
  remarks.insert(remarks.end(), timed.remarks.begin(), timed.remarks.end());
}

Result<RunOutcome> drive_read(const RunOrder& order, const loop::Bench& bench, const Task& task,
                              const RunHooks& hooks, const StopFlag& stop) {
  KP_TRY(const auto listed, task::quarantined(task));
  if (listed) return RunOutcome(refused(order, bench, listed->reason()));
  if (!task.baseline && order.arm.settings.proposer == kOnlyRewrites) {
    return RunOutcome(refused(order, bench, "the task has no baseline plan to rewrite"));
  }
  // Before the run, so that a stop meanwhile leaves no result without them.
  TimedByTorch timed;
  if (torch_can_time(task, bench.device->describe())) timed = hooks.torch(task);
  if (stop.requested()) return RunOutcome(Stopped{});
  const Path folder = folder_of(order.suite_folder, order.run.key);
  EndedRun context{order.run.key, order.suite_folder, folder, {}, std::nullopt};
  KP_TRY(bool ended, has_ended(folder));
  if (!ended) {
    RunClock clock(order.seconds_before, hooks.judged);
    KP_TRY(ended, bring_to_end(order, bench, task, clock, stop));
    context.seconds = clock.seconds();
  }
  if (!ended) return RunOutcome(Stopped{});
  KP_TRY(auto result, harvest(context, task));
  add(result, timed);
  return RunOutcome(std::move(result));
}

}  // namespace

Result<Task> read_task(const WantedRun& run) {
  KP_TRY(Task task, task::read_task(run.path));
  if (!run.from.empty()) KP_TRY_VOID(task::begin_from(task, run.from));
  return task;
}

Path folder_of(const Path& suite_folder, const RunKey& key) {
  return suite_folder / "runs" / key.arm / key.task / fmt::format("seed-{}", key.seed);
}

Result<RunOutcome> drive(const RunOrder& order, const loop::Bench& bench, const RunHooks& hooks,
                         const StopFlag& stop) {
  auto task = read_task(order.run);
  Result<RunOutcome> outcome = task ? drive_read(order, bench, *task, hooks, stop)
                                    : Result<RunOutcome>(tl::unexpected<Error>(task.error()));
  if (outcome) return outcome;
  if (stop.requested()) return RunOutcome(Stopped{});
  const Path folder = folder_of(order.suite_folder, order.run.key);
  const bool began = std::filesystem::exists(folder / "run.db") && !never_worked(folder);
  if (began || !of_the_task(outcome.error())) return outcome;
  forget(folder);
  return RunOutcome(refused(order, bench, outcome.error().text()));
}

}  // namespace kp::suite
