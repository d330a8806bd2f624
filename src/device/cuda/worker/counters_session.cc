// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_session.h"

#include <fmt/format.h>

namespace kp::device::cuda {
namespace {

constexpr int kMostPasses = 200;  // of one list of metrics; all of a chip take fewer

Result<int> run_passes(CounterRange& counters, const CountedWork& work) {
  for (int pass = 1; pass <= kMostPasses; ++pass) {
    KP_TRY_VOID(work.prepare());
    KP_TRY_VOID(counters.start());
    const auto launched = work.launch();
    KP_TRY(const bool done, counters.stop());
    if (!launched) return tl::unexpected<Error>(launched.error());
    if (done) return pass;
  }
  return fail(ErrorCode::kUnavailable,
              fmt::format("CUPTI was not done after {} passes", kMostPasses),
              "see whether `ncu` works on this machine");
}

}  // namespace

Result<std::unique_ptr<CounterSession>> CounterSession::open(void* context, int device) {
  std::unique_ptr<CounterSession> session(new CounterSession(context));
  KP_TRY(session->chip_, counter_chip(device));
  return session;
}

// What a machine offers of its chip takes long to ask, and most offer all: so only after a failure
// that is not one of the work.
Result<CountedKernels> CounterSession::count(std::span<const std::string> names,
                                             const CountedWork& work) {
  bool failed = false;
  const auto watched = [&failed](const std::function<Result<void>()>& part) {
    return [&failed, &part] {
      auto done = part();
      failed = failed || !done;
      return done;
    };
  };
  auto counted = attempt(
      names,
      {.kernels = work.kernels, .prepare = watched(work.prepare), .launch = watched(work.launch)});
  if (counted || failed || !chip_.availability.empty()) return counted;
  auto offered = counter_availability(context_);
  if (!offered) return counted;
  chip_.availability = *std::move(offered);
  plans_.clear();
  return attempt(names, work);
}

Result<CountedKernels> CounterSession::attempt(std::span<const std::string> names,
                                               const CountedWork& work) {
  KP_TRY(const CounterPlan* plan, plan_for(names));
  const auto kernels = static_cast<std::size_t>(work.kernels);
  if (plan->names().empty() || kernels == 0)
    return CountedKernels{.kernels = std::vector<Counters>(kernels)};
  KP_TRY(const auto counters, CounterRange::enable(context_));
  KP_TRY_VOID(counters->configure(*plan, work.kernels, CounterRange::Replay::kByCaller));
  KP_TRY(const int passes, run_passes(*counters, work));
  KP_TRY(auto counted, counters->evaluate());
  if (counted.size() != kernels) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("CUPTI counted {} kernels of {}", counted.size(), kernels),
                "see whether `ncu` works on this machine");
  }
  return CountedKernels{.kernels = std::move(counted), .passes = passes};
}

Result<const CounterPlan*> CounterSession::plan_for(std::span<const std::string> names) {
  std::unique_ptr<CounterPlan>& plan = plans_[{names.begin(), names.end()}];
  if (!plan) {
    KP_TRY(plan, CounterPlan::make(chip_, names));
  }
  return plan.get();
}

}  // namespace kp::device::cuda
