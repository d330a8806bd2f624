// SPDX-License-Identifier: Apache-2.0
#include "harness/profiling.h"

#include "harness/contest_shape.h"

namespace kp::harness {
namespace {

constexpr double kTimedLaps = 32;  // at most, of Device::time on hardware

}  // namespace

Result<Profile> profile_run(const VerifyRequest& request, device::Hardware& hardware,
                            const TimedRun& run, profile::ProfileRequest::Effort effort) {
  device::TimeReport timing{
      .nanoseconds = run.nanoseconds, .low = run.low, .high = run.high, .grade = Grade::kMeasured};
  if (run.steps.size() > 1) {
    KP_TRY(const device::TimeReport apart,
           request.device.time(request.loaded,
                               {.steps = run.steps,
                                .deadline_seconds = deadline_for(kTimedLaps * run.nanoseconds)}));
    timing.launches = apart.launches;
  } else if (const auto* launch = std::get_if<device::BoundLaunch>(&run.steps.front())) {
    timing.launches.push_back({.kernel = launch->kernel, .nanoseconds = run.nanoseconds});
  }
  return profile::collect({.binary = request.binary,
                           .device = request.device.describe(),
                           .steps = run.steps,
                           .timing = timing,
                           .workload = run.workload.name,
                           .hardware = &hardware,
                           .loaded = &request.loaded,
                           .effort = effort,
                           .vendor_rules = request.options.vendor_rules});
}

Result<std::optional<Profile>> profile_fully(const VerifyRequest& request,
                                             device::Hardware& hardware, Referee& referee,
                                             std::uint64_t key) {
  // Its outputs were verified and its speed-up is known: neither opinion nor baseline is asked.
  const Bench alone{hardware, referee};
  const Workload& workload = *request.task.with_role(WorkloadRole::kTime).front();
  Contest contest(request, alone, workload, key);
  KP_TRY(const auto ran, contest.rehearse(request.loaded));
  if (std::holds_alternative<Outcome>(ran)) return std::optional<Profile>{};
  const TimedRun run{workload, contest.steps(), std::get<double>(ran), {}, {}};
  KP_TRY(auto profile, profile_run(request, hardware, run, profile::ProfileRequest::Effort::kFull));
  return std::optional(std::move(profile));
}

}  // namespace kp::harness
