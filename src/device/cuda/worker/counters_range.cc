// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/counters_range.h"

#include <cmath>

#include "device/cuda/worker/counters_api.h"

namespace kp::device::cuda {

#if KP_HAS_CUPTI
namespace {

CUpti_RangeProfiler_Object* object_of(void* profiler) {
  return static_cast<CUpti_RangeProfiler_Object*>(profiler);
}

}  // namespace

Result<CounterChip> counter_chip(int device) {
  KP_TRY(const CuptiApi* api, cupti());
  CUpti_Profiler_Initialize_Params begin{.structSize =
                                             CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  if (const auto code = api->initialize(&begin); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerInitialize");
  CUpti_Device_GetChipName_Params chip{.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE,
                                       .deviceIndex = static_cast<std::size_t>(device)};
  if (const auto code = api->chip_name(&chip); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiDeviceGetChipName");
  return CounterChip{.name = chip.pChipName};
}

Result<std::vector<std::uint8_t>> counter_availability(void* context) {
  KP_TRY(const CuptiApi* api, cupti());
  std::vector<std::uint8_t> image;
  CUpti_Profiler_GetCounterAvailability_Params ask{
      .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE,
      .ctx = static_cast<CUcontext>(context)};
  if (const auto code = api->availability(&ask); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerGetCounterAvailability");
  image.resize(ask.counterAvailabilityImageSize);
  ask.pCounterAvailabilityImage = image.data();
  if (const auto code = api->availability(&ask); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiProfilerGetCounterAvailability");
  return image;
}

Result<std::unique_ptr<CounterRange>> CounterRange::enable(void* context) {
  KP_TRY(const CuptiApi* api, cupti());
  CUpti_RangeProfiler_Enable_Params on{.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE,
                                       .ctx = static_cast<CUcontext>(context)};
  if (const auto code = api->enable(&on); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerEnable");
  return std::unique_ptr<CounterRange>(new CounterRange(*api, on.pRangeProfilerObject));
}

CounterRange::~CounterRange() {
  CUpti_RangeProfiler_Disable_Params off{
      .structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
      .pRangeProfilerObject = object_of(profiler_)};
  api_.disable(&off);
}

Result<void> CounterRange::make_data(int kernels) {
  std::vector<const char*> names;
  for (const std::string& name : plan_->names()) names.push_back(name.c_str());
  CUpti_RangeProfiler_GetCounterDataSize_Params size{
      .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
      .pRangeProfilerObject = object_of(profiler_),
      .pMetricNames = names.data(),
      .numMetrics = names.size(),
      .maxNumOfRanges = static_cast<std::size_t>(kernels),
      .maxNumRangeTreeNodes = static_cast<std::uint32_t>(kernels)};
  if (const auto code = api_.data_size(&size); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerGetCounterDataSize");
  data_.assign(size.counterDataSize, 0);
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params begin{
      .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
      .pRangeProfilerObject = object_of(profiler_),
      .counterDataSize = data_.size(),
      .pCounterData = data_.data()};
  if (const auto code = api_.data_begin(&begin); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerCounterDataImageInitialize");
  return {};
}

Result<void> CounterRange::configure(const CounterPlan& plan, int kernels, Replay replay) {
  plan_ = &plan;
  KP_TRY_VOID(make_data(kernels));
  CUpti_RangeProfiler_SetConfig_Params config{
      .structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
      .pRangeProfilerObject = object_of(profiler_),
      .configSize = plan.image().size(),
      .pConfig = plan.image().data(),
      .counterDataImageSize = data_.size(),
      .pCounterDataImage = data_.data(),
      .range = CUPTI_AutoRange,
      .replayMode = replay == Replay::kByCaller ? CUPTI_UserReplay : CUPTI_KernelReplay,
      .maxRangesPerPass = static_cast<std::size_t>(kernels),
      .numNestingLevels = 1,
      .minNestingLevel = 1,
      .passIndex = 0,
      .targetNestingLevel = 1};
  if (const auto code = api_.set_config(&config); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerSetConfig");
  return {};
}

Result<void> CounterRange::start() {
  CUpti_RangeProfiler_Start_Params start{.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                         .pRangeProfilerObject = object_of(profiler_)};
  if (const auto code = api_.start(&start); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerStart");
  return {};
}

Result<bool> CounterRange::stop() {
  CUpti_RangeProfiler_Stop_Params stop{.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                       .pRangeProfilerObject = object_of(profiler_)};
  if (const auto code = api_.stop(&stop); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerStop");
  return stop.isAllPassSubmitted != 0;
}

Result<std::vector<Counters>> CounterRange::evaluate() {
  CUpti_RangeProfiler_DecodeData_Params decode{
      .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
      .pRangeProfilerObject = object_of(profiler_)};
  if (const auto code = api_.decode(&decode); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerDecodeData");
  CUpti_RangeProfiler_GetCounterDataInfo_Params ask{
      .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
      .pCounterDataImage = data_.data(),
      .counterDataImageSize = data_.size()};
  if (const auto code = api_.data_ranges(&ask); code != CUPTI_SUCCESS)
    return counter_fault(code, "cuptiRangeProfilerGetCounterDataInfo");
  std::vector<Counters> found(ask.numTotalRanges);
  for (std::size_t range = 0; range < found.size(); ++range) {
    KP_TRY(const std::vector<double> values, plan_->evaluate(data_, range));
    for (std::size_t at = 0; at < values.size(); ++at) {
      if (std::isfinite(values[at])) found[range][plan_->names()[at]] = values[at];
    }
  }
  return found;
}

#else

namespace {
tl::unexpected<Error> absent() {
  return fail(ErrorCode::kUnavailable, "this build has no CUPTI",
              "install the package cuda-cupti-dev-13-0 and build again");
}
}  // namespace

Result<CounterChip> counter_chip(int) { return absent(); }
Result<std::vector<std::uint8_t>> counter_availability(void*) { return absent(); }
Result<std::unique_ptr<CounterRange>> CounterRange::enable(void*) { return absent(); }
CounterRange::~CounterRange() = default;
Result<void> CounterRange::configure(const CounterPlan&, int, Replay) { return absent(); }
Result<void> CounterRange::start() { return absent(); }
Result<bool> CounterRange::stop() { return absent(); }
Result<std::vector<Counters>> CounterRange::evaluate() { return absent(); }

#endif

}  // namespace kp::device::cuda
