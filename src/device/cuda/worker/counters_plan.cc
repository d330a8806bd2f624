// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_plan.h"

#include <limits>

#include "device/cuda/worker/counters_api.h"

namespace kp::device::cuda {

#if KP_HAS_CUPTI
namespace {

CUpti_Profiler_Host_Object* host_of(void* host) {
  return static_cast<CUpti_Profiler_Host_Object*>(host);
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> found;
  for (const std::string& name : names) found.push_back(name.c_str());
  return found;
}

}  // namespace

CounterPlan::~CounterPlan() {
  const auto api = cupti();
  if (host_ == nullptr || !api) return;
  CUpti_Profiler_Host_Deinitialize_Params close{
      .structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
      .pHostObject = host_of(host_)};
  (*api)->host_close(&close);
}

Result<void> CounterPlan::open(const CounterChip& chip) {
  KP_TRY(const CuptiApi* api, cupti());
  CUpti_Profiler_Host_Initialize_Params open{
      .structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
      .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
      .pChipName = chip.name.c_str(),
      .pCounterAvailabilityImage = chip.availability.empty() ? nullptr : chip.availability.data()};
  if (const auto code = api->host_open(&open); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostInitialize");
  host_ = open.pHostObject;
  return {};
}

// One name that the chip lacks would spoil the whole object, so each is asked for first.
void CounterPlan::choose(std::span<const std::string> names) {
  const CuptiApi* api = *cupti();
  for (const std::string& name : names) {
    CUpti_Profiler_Host_GetMetricProperties_Params ask{
        .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE,
        .pHostObject = host_of(host_),
        .pMetricName = name.c_str()};
    const bool complete = name.find('.') != std::string::npos;
    if (complete && api->metric_properties(&ask) == CUPTI_SUCCESS) names_.push_back(name);
  }
}

Result<void> CounterPlan::arrange() {
  const CuptiApi* api = *cupti();
  if (names_.empty()) return {};
  std::vector<const char*> names = pointers(names_);
  CUpti_Profiler_Host_ConfigAddMetrics_Params add{
      .structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
      .pHostObject = host_of(host_),
      .ppMetricNames = names.data(),
      .numMetrics = names.size()};
  if (const auto code = api->add_metrics(&add); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostConfigAddMetrics");
  CUpti_Profiler_Host_GetConfigImageSize_Params size{
      .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE,
      .pHostObject = host_of(host_)};
  if (const auto code = api->image_size(&size); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostGetConfigImageSize");
  image_.resize(size.configImageSize);
  CUpti_Profiler_Host_GetConfigImage_Params image{
      .structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
      .pHostObject = host_of(host_),
      .configImageSize = image_.size(),
      .pConfigImage = image_.data()};
  if (const auto code = api->image(&image); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostGetConfigImage");
  CUpti_Profiler_Host_GetNumOfPasses_Params passes{
      .structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
      .configImageSize = image_.size(),
      .pConfigImage = image_.data()};
  if (const auto code = api->passes(&passes); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostGetNumOfPasses");
  passes_ = static_cast<int>(passes.numOfPasses);
  return {};
}

Result<std::vector<double>> CounterPlan::evaluate(std::span<const std::uint8_t> data,
                                                  std::size_t range) const {
  const CuptiApi* api = *cupti();
  std::vector<double> values(names_.size(), std::numeric_limits<double>::quiet_NaN());
  if (values.empty()) return values;
  std::vector<const char*> names = pointers(names_);
  CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate{
      .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
      .pHostObject = host_of(host_),
      .pCounterDataImage = data.data(),
      .counterDataImageSize = data.size(),
      .rangeIndex = range,
      .ppMetricNames = names.data(),
      .numMetrics = names.size(),
      .pMetricValues = values.data()};
  if (const auto code = api->evaluate(&evaluate); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

#else

CounterPlan::~CounterPlan() = default;
Result<void> CounterPlan::open(const CounterChip&) {
  return fail(ErrorCode::kUnavailable, "this build has no CUPTI",
              "install the package cuda-cupti-dev-13-0 and build again");
}
void CounterPlan::choose(std::span<const std::string>) {}
Result<void> CounterPlan::arrange() { return {}; }
Result<std::vector<double>> CounterPlan::evaluate(std::span<const std::uint8_t>,
                                                  std::size_t) const {
  return std::vector<double>(names_.size(), std::numeric_limits<double>::quiet_NaN());
}

#endif

Result<std::unique_ptr<CounterPlan>> CounterPlan::make(const CounterChip& chip,
                                                       std::span<const std::string> names) {
  std::unique_ptr<CounterPlan> plan(new CounterPlan);
  KP_TRY_VOID(plan->open(chip));
  plan->choose(names);
  KP_TRY_VOID(plan->arrange());
  return plan;
}

}  // namespace kp::device::cuda
