// SPDX-License-Identifier: Apache-2.0
// The verb `trace`: one run under two clocks, events and CUPTI's records.
#include <optional>
#include <string_view>

#include "device/cuda/worker/counters_trace.h"
#include "device/cuda/worker/steps.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

constexpr std::string_view kHold = "kp_hold";

Faulty<void> enqueue_between_events(Executor& executor, const ReadySteps& steps) {
  const Driver& driver = executor.driver;
  KP_CALL(driver, cuEventRecord, executor.instruments.events[0], executor.stream);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Faulty<void> queued = enqueue(executor, steps[i]);
    if (!queued) queued.error().step = static_cast<int>(i);
    KP_OR_FAULT_VOID(std::move(queued));
  }
  KP_CALL(driver, cuEventRecord, executor.instruments.events[1], executor.stream);
  return {};
}

/// The hold is the first kernel that is recorded; what follows it runs without waiting for the
/// host.
Faulty<void> run_held(Executor& executor, const ReadySteps& steps) {
  const Driver& driver = executor.driver;
  KP_OR_FAULT_VOID(hold_stream(driver, executor.instruments, executor.stream));
  Faulty<void> queued = enqueue_between_events(executor, steps);
  release_stream(executor.instruments);
  KP_CALL(driver, cuStreamSynchronize, executor.stream);
  return queued;
}

Faulty<std::vector<KernelRecord>> traced(Executor& executor, const ReadySteps& steps) {
  std::optional<Fault> fault;
  auto records = trace_kernels([&]() -> Result<void> {
    Faulty<void> ran = run_held(executor, steps);
    if (ran) return {};
    fault = ran.error();
    return fail(ErrorCode::kUnavailable, fault->name);
  });
  if (fault) return tl::unexpected<Fault>(*fault);
  return or_fault(std::move(records));
}

nlohmann::json to_json(const KernelRecord& record, double first) {
  return {{"name", record.name},
          {"grid", record.grid},
          {"block", record.block},
          {"start", record.start - first},
          {"end", record.end - first}};
}

}  // namespace

Answer trace(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const ReadySteps steps, read_steps(executor, request.body));
  const Driver& driver = executor.driver;
  KP_OR_FAULT_VOID(make_events(driver, executor.instruments, 2));
  KP_OR_FAULT_VOID(flush_l2(driver, executor.instruments, executor.stream));
  KP_CALL(driver, cuStreamSynchronize, executor.stream);
  KP_OR_FAULT(const std::vector<KernelRecord> records, traced(executor, steps));
  if (records.empty() || records.front().name != kHold)
    return refusal(CUDA_ERROR_NOT_SUPPORTED, "CUPTI did not record the first kernel");
  nlohmann::json kernels = nlohmann::json::array();
  for (std::size_t i = 1; i < records.size(); ++i)
    kernels.push_back(to_json(records[i], records[1].start));
  float milliseconds = 0;
  KP_CALL(driver, cuEventElapsedTime, &milliseconds, executor.instruments.events[0],
          executor.instruments.events[1]);
  return Frame{
      {{"kernels", std::move(kernels)}, {"event_ns", static_cast<double>(milliseconds) * 1e6}}, {}};
}

}  // namespace kp::device::cuda
