// SPDX-License-Identifier: Apache-2.0
#include "harness/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "harness/convert.h"
#include "profile/source.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kTimedBudgetFactor = 32;  // time workloads are larger than check workloads
constexpr std::size_t kPeriod = 65'521;           // elements; prime
// Integers of 32 and 64 bits may be indices: places that repeat would look cached.
constexpr std::size_t kPeriodOfIndices = 16'777'213;  // elements; prime

std::size_t period_of(const Tensor& tensor) {
  const bool may_index = !is_floating(tensor.dtype) && size_of(tensor.dtype) >= 4;
  return may_index ? kPeriodOfIndices : kPeriod;
}

/// Inputs for timing alone. Large ones repeat a period: their values were verified on other
/// workloads, and drawing a billion numbers would take longer than everything else.
Result<TensorValues> inputs_for_timing(const Task& task, const Workload& workload,
                                       std::uint64_t seed) {
  Task small = task;
  for (Tensor& tensor : small.declaration.tensors) {
    if (tensor.shape.empty()) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, workload.axes));
    const std::size_t period = period_of(tensor);
    if (count > period) tensor.shape = {Expr(static_cast<std::int64_t>(period))};
  }
  return draw_inputs(small, workload, ValueSet::kContract, seed);
}

class Timer {
 public:
  explicit Timer(const VerifyRequest& request) : request_(request) {}

  Result<std::variant<Timed, Outcome>> time() {
    double log_sum = 0;
    const auto workloads = request_.task.with_role(WorkloadRole::kTime);
    for (const Workload* workload : workloads) {
      KP_TRY(auto bad, time_workload(*workload));
      if (bad) return std::variant<Timed, Outcome>(*std::move(bad));
      log_sum += std::log(timed_.measured.workloads.back().nanoseconds);
    }
    timed_.measured.nanoseconds = std::exp(log_sum / static_cast<double>(workloads.size()));
    return std::variant<Timed, Outcome>(std::move(timed_));
  }

 private:
  Result<std::optional<Outcome>> time_workload(const Workload& workload) {
    const HarnessOptions& options = request_.options;
    KP_TRY(auto opened,
           Rig::open({.device = request_.device,
                      .loaded = request_.loaded,
                      .binary = request_.binary,
                      .task = request_.task,
                      .candidate = request_.candidate,
                      .workload = workload,
                      .red_zone = red_zone_for(request_.device, options),
                      .instruction_budget = options.instruction_budget * kTimedBudgetFactor,
                      .deadline_seconds = options.deadline_seconds}));
    if (auto* bad = std::get_if<Outcome>(&opened)) return std::optional<Outcome>(std::move(*bad));
    KP_TRY(const TensorValues inputs, inputs_for_timing(request_.task, workload, options.seed));
    const bool all = request_.depth == Depth::kFinal || options.sample_blocks == 0;
    const Rig::TimingRequest wanted{.sample_blocks = all ? 0 : options.sample_blocks,
                                    .sample_instructions = options.sample_instructions,
                                    .expect_all_written = all};
    KP_TRY(auto timed, std::get<std::unique_ptr<Rig>>(opened)->time(inputs, wanted));
    if (auto* bad = std::get_if<Outcome>(&timed)) return std::optional<Outcome>(std::move(*bad));
    return accept(workload, std::get<Rig::Timing>(timed));
  }

  Result<std::optional<Outcome>> accept(const Workload& workload, const Rig::Timing& timing) {
    const device::TimeReport& report = timing.report;
    KP_TRY(auto too_fast, below_floor(request_, workload, report.nanoseconds));
    if (too_fast) return too_fast;
    timed_.measured.workloads.push_back(
        {workload.name, report.nanoseconds, report.low, report.high});
    timed_.measured.grade = report.grade;
    if (timing.prepare_nanoseconds)
      timed_.notes.push_back(prepare_note(workload, *timing.prepare_nanoseconds, report.grade));
    if (timed_.measured.workloads.size() == 1) {
      KP_TRY(timed_.measured.profile, profile::collect({.binary = request_.binary,
                                                        .device = request_.device.describe(),
                                                        .steps = timing.steps,
                                                        .timing = report,
                                                        .workload = workload.name}));
    }
    return std::optional<Outcome>{};
  }

  const VerifyRequest& request_;
  Timed timed_;
};

}  // namespace

Result<double> byte_floor(const Declaration& declaration, const Bindings& axes,
                          const DeviceSpec& spec) {
  KP_TRY(double bytes, compulsory_bytes(declaration, axes));
  double written = 0;
  for (const Tensor& tensor : declaration.tensors) {
    if (!is_output(tensor)) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, axes));
    written += static_cast<double>(count * size_of(tensor.dtype));
  }
  bytes -= std::min(written, static_cast<double>(spec.l2_bytes));
  return std::max(bytes, 0.0) / spec.dram_peak * 1e9;
}

Result<std::optional<Outcome>> below_floor(const VerifyRequest& request, const Workload& workload,
                                           double nanoseconds) {
  KP_TRY(const double floor,
         byte_floor(request.task.declaration, workload.axes, request.device.describe().spec));
  if (nanoseconds >= floor) return std::optional<Outcome>{};
  return std::optional<Outcome>(Rejected{
      "byte-floor",
      fmt::format("{} on workload {} is less than the {} in which its compulsory bytes fit through "
                  "memory at the data sheet's bandwidth: work is left out",
                  format_duration_ns(nanoseconds), workload.name, format_duration_ns(floor))});
}

std::string prepare_note(const Workload& workload, double nanoseconds, Grade grade) {
  return fmt::format("prepare on {}: {} {}", workload.name, format_duration_ns(nanoseconds),
                     name_of(grade));
}

Result<std::variant<Timed, Outcome>> time_candidate(const VerifyRequest& request) {
  return Timer(request).time();
}

}  // namespace kp::harness
