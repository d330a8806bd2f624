// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "device/cuda/members.h"
#include "device/cuda/worker/counters_session.h"
#include "device/cuda/worker/counters_trace.h"
#include "device/cuda/worker/steps.h"
#include "device/launch_times.h"

namespace kp::device::cuda {
namespace {

/// Kept, with what it knows of the chip, as long as the process has its one context.
Result<CounterSession*> session_of(Executor& executor) {
  static std::unique_ptr<CounterSession> session;
  if (!session) {
    KP_TRY(session, CounterSession::open(executor.context, executor.gpu));
  }
  return session.get();
}

Result<std::vector<std::string>> names_in(const nlohmann::json& request) {
  KP_TRY(const nlohmann::json* list, list_member(request, "metrics"));
  std::vector<std::string> names;
  for (const nlohmann::json& name : *list) {
    if (!name.is_string()) return bad_member("metrics", "a list of texts");
    names.push_back(name.get<std::string>());
  }
  return names;
}

int launches_in(const ReadySteps& steps) {
  int launches = 0;
  for (const ReadyStep& step : steps) launches += std::holds_alternative<ReadyLaunch>(step) ? 1 : 0;
  return launches;
}

Faulty<void> flush(Executor& executor) {
  KP_OR_FAULT_VOID(flush_l2(executor.driver, executor.instruments, executor.stream));
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return {};
}

Faulty<void> launch(const Executor& executor, const ReadySteps& steps) {
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (auto queued = enqueue(executor, steps[step]); !queued) {
      queued.error().step = static_cast<int>(step);
      return queued;
    }
  }
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return {};
}

/// All that was asked of the host before the GPU begins, so that no gap is the host's.
Faulty<void> launch_held(Executor& executor, const ReadySteps& steps) {
  KP_OR_FAULT_VOID(hold_stream(executor.driver, executor.instruments, executor.stream));
  Faulty<void> queued;
  for (std::size_t step = 0; step < steps.size() && queued; ++step) {
    queued = enqueue(executor, steps[step]);
  }
  release_stream(executor.instruments);
  KP_OR_FAULT_VOID(std::move(queued));
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return {};
}

/// Work whose faults of the driver go around CUPTI, which knows errors of its own only.
class CountedSteps {
 public:
  CountedSteps(Executor& executor, const ReadySteps& steps) : executor_(executor), steps_(steps) {}

  CountedWork work() {
    return {.kernels = launches_in(steps_),
            .prepare = [this] { return noted(flush(executor_)); },
            .launch = [this] { return noted(launch(executor_, steps_)); }};
  }
  /// Adds the times of the launches to what was counted of them.
  Result<void> time(std::vector<Counters>& kernels) {
    KP_TRY_VOID(noted(flush(executor_)));
    KP_TRY(auto all, trace_kernels([this] { return noted(launch_held(executor_, steps_)); }));
    KP_TRY(const auto times, last_of(std::move(all), kernels.size()));
    for (std::size_t at = 0; at < kernels.size(); ++at) {
      kernels[at][std::string(kLaunchStart.name)] = times[at].start;
      kernels[at][std::string(kLaunchEnd.name)] = times[at].end;
    }
    return {};
  }
  const std::optional<Fault>& fault() const { return fault_; }

 private:
  Result<void> noted(Faulty<void> done) {
    if (done) return {};
    fault_ = done.error();
    return fail(ErrorCode::kUnavailable, fault_->name);
  }

  Executor& executor_;
  const ReadySteps& steps_;
  std::optional<Fault> fault_;
};

nlohmann::json answer_of(const CountedKernels& counted) {
  nlohmann::json launches = nlohmann::json::array();
  for (const Counters& kernel : counted.kernels) launches.push_back({{"metrics", kernel}});
  return {{"launches", std::move(launches)}, {"passes", counted.passes}};
}

}  // namespace

Faulty<nlohmann::json> count(Executor& executor, const nlohmann::json& request) {
  KP_OR_FAULT(const ReadySteps steps, read_steps(executor, request));
  KP_OR_FAULT(const std::vector<std::string> names, or_fault(names_in(request)));
  KP_OR_FAULT(CounterSession * session, or_fault(session_of(executor)));
  CountedSteps counted(executor, steps);
  auto kernels = session->count(names, counted.work());
  // Counters are worth having without times.
  if (kernels && std::ranges::count(names, kLaunchStart.name) > 0)
    static_cast<void>(counted.time(kernels->kernels));
  if (counted.fault()) return tl::unexpected<Fault>(*counted.fault());
  KP_OR_FAULT(const CountedKernels known, or_fault(std::move(kernels)));
  return answer_of(known);
}

}  // namespace kp::device::cuda
