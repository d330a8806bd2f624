// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/steps.h"

#include <algorithm>

#include "device/cuda/members.h"
#include "device/cuda/worker/modules.h"
#include "device/cuda/worker/tensor_map.h"

namespace kp::device::cuda {
namespace {

bool is_clustered(const WireLaunch& launch) {
  return launch.cluster[0] > 1 || launch.cluster[1] > 1 || launch.cluster[2] > 1;
}

std::vector<CUlaunchAttribute> attributes_of(const WireLaunch& launch) {
  std::vector<CUlaunchAttribute> attributes;
  if (is_clustered(launch)) {
    CUlaunchAttribute& attribute = attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  }
  if (launch.cooperative) {
    CUlaunchAttribute& attribute = attributes.emplace_back();
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
  }
  return attributes;
}

/// Places of parameters in the block of a launch with tensor maps. In the kernel's own layout these
/// begin at multiples of 64 bytes counted from elsewhere, so that the block cannot be passed as it
/// is. All other parameters are scalars and pointers, aligned to their size.
Faulty<std::vector<std::size_t>> places_of(const Driver& driver, CUfunction function,
                                           const WireLaunch& launch) {
  if (driver.cuFuncGetParamInfo == nullptr)
    return refusal(CUDA_ERROR_NOT_SUPPORTED, "tensor maps need a driver of CUDA 12.4 or later");
  std::vector<std::size_t> places;
  std::size_t end = 0, maps = 0, offset = 0, bytes = 0;
  while (driver.cuFuncGetParamInfo(function, places.size(), &offset, &bytes) == CUDA_SUCCESS) {
    const bool map = bytes == sizeof(CUtensorMap) && maps < launch.tensor_maps.size();
    const std::size_t unit = std::max<std::size_t>(1, bytes);
    places.push_back(map ? launch.tensor_maps[maps++].offset : (end + unit - 1) / unit * unit);
    end = places.back() + bytes;
    if (end > launch.parameters.size())
      return refusal(CUDA_ERROR_INVALID_VALUE, "the parameter block is too small for the kernel");
  }
  return places;
}

Faulty<ReadyLaunch> make_ready(const Executor& executor, Module& module, WireLaunch launch) {
  ReadyLaunch ready;
  KP_OR_FAULT(ready.function, find_kernel(executor, module, launch.kernel));
  if (launch.shared_bytes > static_cast<std::uint64_t>(executor.dynamic_shared_limit)) {
    return refusal(CUDA_ERROR_INVALID_VALUE,
                   fmt::format("{} bytes of shared memory asked, a block has {} at most",
                               launch.shared_bytes, executor.dynamic_shared_limit));
  }
  ready.config = {.gridDimX = launch.grid[0],
                  .gridDimY = launch.grid[1],
                  .gridDimZ = launch.grid[2],
                  .blockDimX = launch.block[0],
                  .blockDimY = launch.block[1],
                  .blockDimZ = launch.block[2],
                  .sharedMemBytes = static_cast<unsigned>(launch.shared_bytes),
                  .hStream = executor.stream,
                  .attrs = nullptr,
                  .numAttrs = 0};
  ready.attributes = attributes_of(launch);
  for (const BoundTensorMap& map : launch.tensor_maps) {
    KP_OR_FAULT_VOID(encode(executor.driver, map, launch.parameters));
  }
  if (!launch.tensor_maps.empty()) {
    KP_OR_FAULT(ready.places, places_of(executor.driver, ready.function, launch));
  }
  ready.parameters = std::move(launch.parameters);
  return ready;
}

Faulty<ReadyStep> read_step(const Executor& executor, Module& module, const nlohmann::json& json) {
  KP_OR_FAULT(WireStep step, or_fault(wire_step_from(json)));
  if (auto* launch = std::get_if<WireLaunch>(&step)) {
    KP_OR_FAULT(ReadyLaunch ready, make_ready(executor, module, std::move(*launch)));
    return ready;
  }
  return std::get<BoundZero>(step);
}

Faulty<void> enqueue_launch(const Executor& executor, const ReadyLaunch& launch) {
  CUlaunchConfig config = launch.config;
  config.attrs = const_cast<CUlaunchAttribute*>(launch.attributes.data());
  config.numAttrs = static_cast<unsigned>(launch.attributes.size());
  auto* block = const_cast<std::byte*>(launch.parameters.data());
  std::size_t bytes = launch.parameters.size();
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                             &bytes, CU_LAUNCH_PARAM_END};
  std::vector<void*> each;
  for (const std::size_t place : launch.places) each.push_back(block + place);
  const bool whole = each.empty() && bytes != 0;
  KP_CALL(executor.driver, cuLaunchKernelEx, &config, launch.function,
          each.empty() ? nullptr : each.data(), whole ? extra.data() : nullptr);
  return {};
}

}  // namespace

Faulty<ReadySteps> read_steps(Executor& executor, int module, const nlohmann::json& steps) {
  KP_OR_FAULT(Module * loaded, find_module(executor, module));
  ReadySteps ready;
  for (const nlohmann::json& json : steps) {
    Faulty<ReadyStep> step = read_step(executor, *loaded, json);
    if (!step) {
      step.error().step = static_cast<int>(ready.size());
      return tl::unexpected<Fault>(std::move(step).error());
    }
    ready.push_back(*std::move(step));
  }
  return ready;
}

Faulty<ReadySteps> read_steps(Executor& executor, const nlohmann::json& request) {
  KP_OR_FAULT(const int module, or_fault(number_member<int>(request, "module")));
  KP_OR_FAULT(const nlohmann::json* steps, or_fault(list_member(request, "steps")));
  return read_steps(executor, module, *steps);
}

Faulty<void> enqueue(const Executor& executor, const ReadyStep& step) {
  if (const auto* launch = std::get_if<ReadyLaunch>(&step))
    return enqueue_launch(executor, *launch);
  const auto& zero = std::get<BoundZero>(step);
  KP_CALL(executor.driver, cuMemsetD8Async, zero.address, 0, zero.bytes, executor.stream);
  return {};
}

}  // namespace kp::device::cuda
