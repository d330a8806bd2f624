// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/steps.h"

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
  std::size_t bytes = launch.parameters.size();
  void* block = const_cast<std::byte*>(launch.parameters.data());
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE,
                             &bytes, CU_LAUNCH_PARAM_END};
  KP_CALL(executor.driver, cuLaunchKernelEx, &config, launch.function, nullptr,
          bytes == 0 ? nullptr : extra.data());
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
